import { environmentSchema, parseEnvironment } from '../../lib/runtime/environment';

describe('parseEnvironment', () => {
  test('gives the variables that were asked for, numbers as numbers, and no others', () => {
    const schema = environmentSchema.pick({ EVENT_BUS: true, PUSH_QUIET_MS: true });
    const environment = { EVENT_BUS: 'pilotless', PUSH_QUIET_MS: '100', CATALOG_TABLE: 'catalog', PATH: '/bin' };

    expect(parseEnvironment(schema, environment)).toEqual({ EVENT_BUS: 'pilotless', PUSH_QUIET_MS: 100 });
  });

  test('names everything that is missing or wrong in one message', () => {
    const schema = environmentSchema.pick({ EVENT_BUS: true, PUSH_QUIET_MS: true, CATALOG_TABLE: true });

    expect(() => parseEnvironment(schema, { PUSH_QUIET_MS: 'soon', EVENT_BUS: '' })).toThrow(
      'Environment of the function: EVENT_BUS="" is empty; PUSH_QUIET_MS="soon" is not a number; CATALOG_TABLE is missing',
    );
  });
});
