export { type ManualClock, manualClock } from "./manual-clock.ts";
