/** A listening server, with one limiter or none: `node http-server.mjs express @spillway/express refused`. */
import { Session } from "node:inspector/promises";
import { serverOf } from "./http-servers.mjs";

const inspector = new Session();
inspector.connect();

/** Samples allocations: all, or those that outlive the collection of young objects. */
const sample = (includeObjectsCollectedByMinorGC) =>
  inspector.post("HeapProfiler.startSampling", {
    samplingInterval: 4096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC,
  });

const bytesOf = ({ selfSize, children }) =>
  children.reduce((sum, child) => sum + bytesOf(child), selfSize);

const answers = {
  cpu: () => process.cpuUsage(),
  made: () => sample(true),
  kept: () => sample(false),
  async sampled() {
    const { profile } = await inspector.post("HeapProfiler.stopSampling");
    return bytesOf(profile.head);
  },
};

const server = await serverOf(...process.argv.slice(2));
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", async (what) => process.send((await answers[what]()) ?? "done"));
process.on("disconnect", () => process.exit());
