import {
  faultOfDomainName,
  faultOfLabelPair,
  faultOfWildcardDomain,
  isDnsLabel,
} from '../../../lib/registries/external/dns-name';

const LONG_LABEL = 'a'.repeat(63);
const LONG_NAME = `${'a'.repeat(50)}.`.repeat(5); // 255 characters with the dot at the end

const noLabel = (label: string) =>
  `must be a DNS name, but ${JSON.stringify(label)} is no DNS label (1 to 63 letters, digits and "-", starting and ending with a letter or digit)`;

describe('a DNS label', () => {
  test.each(['a', 'A', '1', 'a-b', 'a--b', 'http2', LONG_LABEL])('may be %p', (text) => {
    expect(isDnsLabel(text)).toBe(true);
  });

  test.each(['', '-', '-a', 'a-', 'a.b', 'a_b', 'ä', '*', ' a', 'a\n', `${LONG_LABEL}a`])('must not be %p', (text) => {
    expect(isDnsLabel(text)).toBe(false);
  });
});

describe('a domain name', () => {
  test.each(['example.com', 'example.com.', 'localhost', 'Example.COM', 'a.b-c.d1', '1.example', LONG_NAME])(
    'may be %p',
    (name) => {
      expect(faultOfDomainName(name)).toBeUndefined();
    },
  );

  test.each([
    ['', 'must not be empty'],
    [`a${LONG_NAME}`, 'must have at most 255 characters'],
    ['10.0.0.1', 'must not end in a label of digits only'],
    ['1', 'must not end in a label of digits only'],
    ['example.-5', 'must not end in a label of digits only'],
    ['a..b', noLabel('')],
    ['.', noLabel('')],
    ['a..', noLabel('')],
    ['.a', noLabel('')],
    ['*.example.com', noLabel('*')],
    ['exa_mple.com', noLabel('exa_mple')],
    [`${LONG_LABEL}a.com`, noLabel(`${LONG_LABEL}a`)],
  ])('must not be %p', (name, fault) => {
    expect(faultOfDomainName(name)).toBe(fault);
  });
});

describe('a domain name that may begin with a wildcard', () => {
  test.each(['example.com', '*.example.com', '*', '*-api.example.com', '*api.example.com', '*.example.com.', '123'])(
    'may be %p',
    (name) => {
      expect(faultOfWildcardDomain(name)).toBeUndefined();
    },
  );

  test.each([
    ['', 'must not be empty'],
    [`a${LONG_NAME}`, 'must have at most 255 characters'],
    ['api.*.com', noLabel('*')],
    ['api*.example.com', noLabel('api*')],
    ['**.example.com', noLabel('**')],
    ['-', noLabel('-')],
    [`*${LONG_LABEL}.com`, noLabel(`*${LONG_LABEL}`)],
    ['*.10', 'must not end in a label of digits only'],
    ['*.example.com..', noLabel('')],
  ])('must not be %p', (name, fault) => {
    expect(faultOfWildcardDomain(name)).toBe(fault);
  });
});

describe('a label', () => {
  const KEY = 'must have a key of letters, digits, "-", "_" and ".", at most 63, with an optional DNS prefix and "/"';
  const VALUE =
    'must have a value of letters, digits, "-", "_" and ".", starting and ending with a letter or digit, or none';

  test.each([
    ['app', 'cart'],
    ['app', ''],
    ['App_1.x-y', 'v1.2_3-x'],
    ['topology.istio.io/network', 'net-1'],
    [LONG_LABEL, 'a'],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}/x`, 'a'],
  ])('may be %p=%p', (key, value) => {
    expect(faultOfLabelPair(key, value)).toBeUndefined();
  });

  test.each([
    ['', 'a', KEY],
    ['-a', 'a', KEY],
    ['/a', 'a', KEY],
    ['a/', 'a', KEY],
    ['a/b/c', 'a', KEY],
    ['a b', 'a', KEY],
    [`${LONG_LABEL}a`, 'a', KEY],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(62)}/x`, 'a', KEY],
    ['a', '-', VALUE],
    ['a', 'b/c', VALUE],
    ['a', 'ä', VALUE],
    ['a', '*', VALUE],
  ])('must not be %p=%p', (key, value, fault) => {
    expect(faultOfLabelPair(key, value)).toBe(fault);
  });
});
