/** A change event as it waits for its push. */
export type QueuedChange = {
  /** Names the message for {@link ChangeQueue.remove}; of this delivery only. */
  readonly receipt: string;
  /** The event as EventBridge delivered it, JSON. */
  readonly body: string;
};

/** The queue in which change events wait to be merged into a push. At least once, in no order. */
export interface ChangeQueue {
  /** Some of the changes that wait, none when there are none now. They are hidden from others until they are removed. */
  receive(): Promise<readonly QueuedChange[]>;
  /** Removes what has been dealt with; what cannot be removed comes again, which is harmless. */
  remove(changes: readonly QueuedChange[]): Promise<void>;
}
