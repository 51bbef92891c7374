export type Listener = (...args: unknown[]) => void;

/** What the store needs of any client. Its calls return promises, whatever the client's own return. */
export interface RedisPort {
  /** The client itself: several stores may use one. */
  readonly client: object;
  /** The event that signals that commands can be sent. */
  readonly readyEvent: string;
  /** Whether every supported version of the client emits that event. */
  readonly emitsReady: boolean;
  /** Whether the keys of one call must share a slot. */
  readonly clustered: boolean;
  /** The prefix that the client adds to every key. */
  readonly keyPrefix: string;
  /** `idle` has never connected, `coming` may be ready soon, `away` lost its server. */
  state(): "ready" | "idle" | "coming" | "away";
  evalsha(sha: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  /**
   * Requests another connection, if this one leads nowhere or to a server that must not be written to. Only single
   * clients of ioredis can do so: clusters find the new primary themselves, and node-redis has no such call.
   */
  reconnect(): void;
  on(event: string, listener: Listener): void;
  off(event: string, listener: Listener): void;
  /** Whether anyone is listening already. */
  hasListener(event: string): boolean;
}
