export type Listener = (...args: unknown[]) => void;

/** What the store needs of a client, whichever it is. What its calls answer are promises, whatever the client's are. */
export interface RedisPort {
  /** Whose port it is: several stores may speak through one client. */
  readonly client: object;
  /** The event that tells that commands can be sent. */
  readonly readyEvent: string;
  /** Whether the client tells it, whichever its version is. */
  readonly emitsReady: boolean;
  /** Whether the keys of one call must share a slot. */
  readonly clustered: boolean;
  /** What the client puts before every key. */
  readonly keyPrefix: string;
  /** `idle` has never connected, `coming` may be ready soon, `away` lost its server. */
  state(): "ready" | "idle" | "coming" | "away";
  evalsha(sha: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  /**
   * Asks for another connection, where this one leads nowhere or to a server that must not be written to. Only a single
   * client of ioredis can be asked: clusters find the new primary themselves, and node-redis has no such call.
   */
  reconnect(): void;
  on(event: string, listener: Listener): void;
  off(event: string, listener: Listener): void;
  /** Whether somebody listens already. */
  hasListener(event: string): boolean;
}
