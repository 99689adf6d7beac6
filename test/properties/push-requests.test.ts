import * as fc from 'fast-check';
import { mergePushRequests } from '../../lib/push/merge-push-requests';
import { arbitraryPushRequest } from '../support/push-requests';

describe('merging push requests', () => {
  test('is associative', () => {
    fc.assert(
      fc.property(arbitraryPushRequest, arbitraryPushRequest, arbitraryPushRequest, (a, b, c) => {
        expect(mergePushRequests(mergePushRequests(a, b), c)).toEqual(mergePushRequests(a, mergePushRequests(b, c)));
      }),
    );
  });

  test('is commutative', () => {
    fc.assert(
      fc.property(arbitraryPushRequest, arbitraryPushRequest, (a, b) => {
        expect(mergePushRequests(a, b)).toEqual(mergePushRequests(b, a));
      }),
    );
  });

  test('loses nothing and invents nothing: each service named before is named, unless everything is', () => {
    fc.assert(
      fc.property(fc.array(arbitraryPushRequest, { minLength: 1 }), ([first, ...rest]) => {
        const merged = mergePushRequests(first!, ...rest);
        const services = (keys: typeof merged.configsUpdated) =>
          [...new Set(keys.map(({ namespace, name }) => `${namespace}/${name}`))].sort();
        const asked = [first!, ...rest];
        expect(merged.all).toBe(asked.some(({ all }) => all));
        expect(services(merged.configsUpdated)).toEqual(
          merged.all ? [] : services(asked.flatMap(({ configsUpdated }) => configsUpdated)),
        );
      }),
    );
  });
});
