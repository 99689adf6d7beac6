// The boundary rules of the house: what may import an SDK or do IO, and which stage may see which.
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

/** Files that may touch the outside world: adapters (named technology first), composition and the command line. */
const IMPURE = [
  'lib/**/{dynamodb,dynalite,eventbridge,sqs,s3,sts,eks,folder,http,grpc,kubernetes,consul,mcp,secrets}-*.ts',
  'lib/runtime/**',
  'lib/embedded/**',
  'lib/cli/**',
  'lib/public-face.ts',
  'functions/**',
  'infra/**',
  'test/**',
];

const SDK_AND_IO = [
  '@aws-sdk/*',
  '@smithy/*',
  '@kubernetes/client-node',
  '@grpc/*',
  '@aws-lambda-powertools/*',
  'dynalite',
  'commander',
  'fs',
  'fs/*',
  'http',
  'https',
  'net',
  'tls',
  'child_process',
  'node:*',
  // These two only compute.
  '!node:crypto',
  '!node:zlib',
];

const PURE_GLOBALS = ['process', 'console', 'fetch', 'setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
  name,
  message: 'A pure file gets this by argument (clock, delay, log); only adapters, runtime, embedded and cli use it.',
}));

const PURE_SYNTAX = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take the time as an argument.',
  },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the time as an argument.' },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Take randomness as an argument.',
  },
];

const ADAPTERS_OF_OTHERS = {
  group: ['**/{dynamodb,eventbridge,sqs,s3}-*', '**/embedded/**', '**/cli/**', '**/functions/**', '**/infra/**'],
  message: 'Stages import the model and ports; adapters are composed in functions, runtime and embedded.',
};

const restrictImports = (patterns) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
});

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'dist',
      'cdk.out',
      'coverage',
      'reports',
      '.stryker-tmp',
      '**/*.mjs',
      '**/*.cjs',
      '**/*.js',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: new URL('../..', import.meta.url).pathname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['lib/**/*.ts'],
    ignores: IMPURE,
    rules: {
      ...restrictImports([
        { group: SDK_AND_IO, allowTypeImports: true, message: 'Pure files do no IO; put it in an adapter.' },
        ADAPTERS_OF_OTHERS,
      ]),
      'no-restricted-globals': ['error', ...PURE_GLOBALS],
      'no-restricted-syntax': ['error', ...PURE_SYNTAX],
    },
  },
  {
    files: ['lib/model/**/*.ts'],
    rules: restrictImports([
      { group: ['../*', ...SDK_AND_IO], message: 'The model imports nothing of the project but itself.' },
    ]),
  },
  {
    files: ['infra/**/*.ts'],
    rules: restrictImports([
      {
        group: [
          '**/lib/{polling,snapshots,aggregation,catalog,changes,push,discovery,reconciliation,embedded,cli}/**',
          '!**/lib/changes/pilotless-event', // the names of the events
        ],
        allowTypeImports: true,
        message: 'infra takes only names and the configuration schema from lib.',
      },
    ]),
  },
  {
    files: ['test/**/*.ts'],
    ...jest.configs['flat/recommended'],
    rules: {
      ...jest.configs['flat/recommended'].rules,
      'jest/expect-expect': [
        'error',
        {
          assertFunctionNames: [
            'expect',
            'expect*',
            'fc.assert',
            '**.expect*',
            '**.hasResource*',
            '**.allResources*',
            '**.resourceCountIs',
          ],
        },
      ],
      'jest/no-standalone-expect': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // The Kubernetes client's types are classes that it takes as plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  // Contract suites are functions that the tests of a port's twin and of its adapter call.
  { files: ['test/contract/**/*.ts'], rules: { 'jest/no-export': 'off' } },
);
