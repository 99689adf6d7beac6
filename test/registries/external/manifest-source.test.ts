import { isHidden, isManifestName, oversizeReason } from '../../../lib/registries/external/manifest-source';
import { describeManifestSource } from '../../contract/manifest-source';
import { MemoryManifestSource } from '../../support/memory-manifest-source';

describeManifestSource('memory', () => {
  const source = new MemoryManifestSource();
  return Promise.resolve({
    source,
    put: (name, contents) => {
      source.put(name, contents);
      return Promise.resolve();
    },
    remove: (name) => {
      source.remove(name);
      return Promise.resolve();
    },
    sourceOf: (name) => name,
  });
});

test.each([
  ['a.yaml', true],
  ['a.yml', true],
  ['a.json', true],
  ['a.YAML', true],
  ['.a.yaml', false],
  ['a.yaml~', false],
  ['ayaml', false],
  ['yaml', false],
  ['.yaml', false],
])('the name %p is that of a manifest: %p', (name, expected) => {
  expect(isManifestName(name)).toBe(expected);
});

test.each([
  ['.a', true],
  ['..data', true],
  ['a.b', false],
])('the name %p is hidden: %p', (name, expected) => {
  expect(isHidden(name)).toBe(expected);
});

test('a manifest that is too large is said to be so', () => {
  expect(oversizeReason(33_554_433)).toBe('it has 33554433 bytes, more than the 33554432 that are read; split it');
});
