/**
 * The spelling of names as Istio checks it (pkg/config/labels/instance.go, pkg/config/validation/agent/validation.go).
 * Each function returns what is wrong as the end of a sentence, or `undefined`.
 */

/** RFC 1123 label. */
const MAX_LABEL = 63;
/** RFC 1035 name. */
const MAX_NAME = 255;
/** Of the DNS prefix in the key of a Kubernetes label. */
const MAX_LABEL_PREFIX = 253;

const LABEL = '[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?';
const DNS_LABEL = new RegExp(`^${LABEL}$`);
const WILDCARD_LABEL = new RegExp(`^(?:\\*|(?:\\*|\\*-)?${LABEL})$`);
const QUALIFIED_NAME = '(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_KEY = new RegExp(`^(?:(${LABEL}(?:\\.${LABEL})*)/)?(${QUALIFIED_NAME})$`);
const LABEL_VALUE = new RegExp(`^(?:${QUALIFIED_NAME})?$`);

export function isDnsLabel(text: string): boolean {
  return text.length <= MAX_LABEL && DNS_LABEL.test(text);
}

/** A fully qualified domain name; one trailing dot is fine, a last label of digits only is not. */
export function faultOfDomainName(name: string): string | undefined {
  return faultOfLength(name) ?? faultOfLabels(name.split('.'));
}

/** A domain name whose first label may be `*`, or begin with `*`. */
export function faultOfWildcardDomain(name: string): string | undefined {
  const tooLong = faultOfLength(name);
  if (tooLong !== undefined) return tooLong;
  const [first = '', ...rest] = name.split('.');
  if (first.length > MAX_LABEL || !WILDCARD_LABEL.test(first)) return faultOfLabel(first);
  return rest.length === 0 ? undefined : faultOfLabels(rest);
}

/** Key and value of a Kubernetes label. */
export function faultOfLabelPair(key: string, value: string): string | undefined {
  const [, prefix = '', name = ''] = LABEL_KEY.exec(key) ?? [];
  if (name === '' || name.length > MAX_LABEL || prefix.length > MAX_LABEL_PREFIX) {
    return 'must have a key of letters, digits, "-", "_" and ".", at most 63, with an optional DNS prefix and "/"';
  }
  return LABEL_VALUE.test(value)
    ? undefined
    : 'must have a value of letters, digits, "-", "_" and ".", starting and ending with a letter or digit, or none';
}

function faultOfLength(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  return name.length > MAX_NAME ? `must have at most ${MAX_NAME} characters` : undefined;
}

function faultOfLabels(labels: readonly string[]): string | undefined {
  const last = labels.at(-1) ?? '';
  if (/^[+-]?\d+$/.test(last)) return 'must not end in a label of digits only';
  const rooted = last === '' ? labels.slice(0, -1) : labels;
  const wrong = rooted.find((label) => !isDnsLabel(label));
  return wrong === undefined ? undefined : faultOfLabel(wrong);
}

function faultOfLabel(label: string): string {
  return `must be a DNS name, but ${JSON.stringify(label)} is no DNS label (1 to ${MAX_LABEL} letters, digits and "-", starting and ending with a letter or digit)`;
}
