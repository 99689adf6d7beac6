const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this);
  return run.apply(this, args);
};

/**
 * The Node environment, which leaves no AsyncLocalStorage of a test file behind. Jest makes one for each file and
 * never disables it, and before Node 24 each promise visits all that are enabled: the hundredth file of a worker
 * paid for the 99 before it.
 */
module.exports = class LeanEnvironment extends TestEnvironment {
  async teardown() {
    for (const storage of storages) storage.disable();
    storages.clear();
    await super.teardown();
  }
};
