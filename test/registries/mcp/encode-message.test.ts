import fc from 'fast-check';
import { decodeMessage } from '../../../lib/registries/mcp/decode-message';
import { encodeMessage } from '../../../lib/registries/mcp/encode-message';
import { MessageShapes } from '../../../lib/registries/mcp/message-shapes';
import messages from '../../../lib/registries/mcp/messages.json';
import { mcpMessage } from '../../support/mcp-messages';

const REQUEST = 'envoy.service.discovery.v3.DiscoveryRequest';
const shape = new MessageShapes(messages).of(REQUEST);

const text = fc.string({ unit: 'grapheme' });
const request = fc.record(
  {
    versionInfo: text,
    typeUrl: text,
    responseNonce: text,
    resourceNames: fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 3 }),
    errorDetail: fc.record({ code: fc.integer(), message: text }),
    node: fc.record({
      id: text,
      userAgentName: text,
      metadata: fc.record({
        fields: fc.dictionary(text, fc.record({ stringValue: text }), { maxKeys: 3, noNullPrototype: true }),
      }),
    }),
  },
  { requiredKeys: [] },
);

test('protobufjs decodes what was encoded, and so do we', () => {
  fc.assert(
    fc.property(request, (value) => {
      const bytes = encodeMessage(shape, value);
      expect(mcpMessage(REQUEST).deserialize(Buffer.from(bytes))).toMatchObject(value);
      expect(decodeMessage(shape, bytes)).toMatchObject(value);
    }),
  );
});

test('what is absent takes no bytes', () => {
  expect(encodeMessage(shape, { typeUrl: undefined })).toEqual(new Uint8Array());
});

test.each([
  ['a number in the place of a text', { typeUrl: 7 }, 'no way to encode 7 as string'],
  ['a text in the place of a message', { node: 'x' }, 'no way to encode "x" as message'],
  ['a list in the place of a message', { node: [] }, 'no way to encode [] as message'],
  ['a text in the place of a list', { resourceNames: 'x' }, 'a list is needed, not "x"'],
  ['a text in the place of a map', { node: { metadata: { fields: 'x' } } }, 'a map is needed, not "x"'],
  ['a text in the place of a number', { errorDetail: { code: 'x' } }, 'no way to encode "x" as int32'],
])('%s is a bug', (_case, message, fault) => {
  expect(() => encodeMessage(shape, message)).toThrow(fault);
});
