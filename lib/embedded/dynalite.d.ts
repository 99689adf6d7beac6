/** The part of dynalite that is used here; it brings no types of its own. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  type DynaliteOptions = {
    /** Folder of the LevelDB store; in memory without. */
    readonly path?: string;
    /** How long tables stay in the state CREATING. */
    readonly createTableMs?: number;
  };

  /** The server, not yet listening. Its `close` also waits for open operations and closes the store. */
  function dynalite(options: DynaliteOptions): Server;

  export = dynalite;
}
