export { type Answer as HttpAnswer, answerOf } from "./http/answer.ts";
export type { Failure, Handler, HttpApp, Mount, OptionsFor, Serve, Served } from "./http/app.ts";
export { connection } from "./http/connection.ts";
export type { TransportName } from "./http/transport.ts";
export { type HttpSuiteOptions, httpSuite } from "./http-suite.ts";
export { type ManualClock, manualClock } from "./manual-clock.ts";
export { type PlainStore, plainStore } from "./plain-store.ts";
export { type Row, rows } from "./rows.ts";
export {
  type DefineTest,
  type MadeStore,
  type MakeStore,
  type StoreSuiteOptions,
  storeSuite,
} from "./store-suite.ts";
export { type Answer, replay, type Step, type Trace, type TraceOptions, traces } from "./traces.ts";
