import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manualAfter } from "../../../test/manual-after.ts";
import { type KeptPolicies, PolicyFileError, watchPolicies } from "../index.ts";

let folder: string;
let file: string;
let source: KeptPolicies | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spillway-policies-"));
  file = join(folder, "policies.yaml");
  await writeFile(file, yaml(1));
});
afterEach(async () => {
  source?.close();
  source = undefined;
  await rm(folder, { recursive: true, force: true });
});

const yaml = (limit: unknown): string => `limit: ${limit}\nwindow: 1m\n`;
const policies = (limit: number): object => ({ limit, window: "1m" });

/** Waits for a source's next version or error: caused by file system events, never by polling. */
async function watched(path: string | URL = file) {
  let hear: (told: unknown) => void = () => {};
  const open = await watchPolicies(path, { every: "1h", onError: (error) => hear(error) });
  source = open;
  open.subscribe((next) => hear(next));
  return {
    open,
    next: (): Promise<unknown> =>
      new Promise((resolve) => {
        hear = resolve;
      }),
  };
}

describe("watchPolicies", () => {
  it("resolves with the policies of the file, by a path or an address", async () => {
    expect((await watched()).open.current).toEqual(policies(1));
    source?.close();
    expect((await watched(pathToFileURL(file))).open.current).toEqual(policies(1));
  });

  it("rejects where the file is wrong or is not there", async () => {
    await writeFile(file, yaml("many"));
    const wrong = await watchPolicies(file).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(PolicyFileError);
    expect((wrong as PolicyFileError).problems).toMatchObject([
      { file, line: 1, column: 8, path: "limit", received: '"many"' },
    ]);
    await expect(watchPolicies(join(folder, "none.json"))).rejects.toMatchObject({
      code: "ERR_INVALID_POLICY_FILE",
      cause: { code: "ENOENT" },
    });
  });

  it.each([
    [undefined, {}, "path: expected the path of a file, as a string or a file: URL, received"],
    [new URL("http://example.com/p.json"), {}, "path: expected the path of a file"],
    ["policies.yaml", { evry: 1 }, "evry: expected a known option (did you mean every?)"],
    ["policies.yaml", { http: false }, "http: expected a known option"],
  ])("rejects arguments that do not fit: %o, %o", async (path, options, message) => {
    const refused = watchPolicies(path as string, options as never);
    await expect(refused).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
      message: expect.stringContaining(message),
    });
  });

  it("takes what is written in place", async () => {
    const { open, next } = await watched();
    const told = next();
    await writeFile(file, yaml(2));
    expect(await told).toEqual(policies(2));
    expect(open.current).toEqual(policies(2));
  });

  it("takes a file that replaces it, again and again", async () => {
    const { next } = await watched();
    for (const limit of [2, 3, 4]) {
      const told = next();
      await writeFile(`${file}.new`, yaml(limit));
      await rename(`${file}.new`, file);
      expect(await told).toEqual(policies(limit));
    }
  });

  it("takes what a link points to next, as mounted configuration does", async () => {
    for (const limit of [1, 2]) {
      await mkdir(join(folder, `v${limit}`));
      await writeFile(join(folder, `v${limit}`, "limits.yaml"), yaml(limit));
    }
    const data = join(folder, "data");
    const mounted = join(folder, "mounted");
    await mkdir(mounted);
    await symlink(join(folder, "v1"), join(mounted, "data"));
    await symlink(join("data", "limits.yaml"), join(mounted, "limits.yaml"));
    const { next } = await watched(join(mounted, "limits.yaml"));
    const told = next();
    await symlink(join(folder, "v2"), data);
    await rename(data, join(mounted, "data"));
    expect(await told).toEqual(policies(2));
  });

  it("takes what it links to next where a file has become a link, and a file once more", async () => {
    for (const limit of [2, 3]) {
      await mkdir(join(folder, `v${limit}`));
      await writeFile(join(folder, `v${limit}`, "policies.yaml"), yaml(limit));
    }
    const turn = async (target: string, link: string): Promise<void> => {
      await symlink(target, `${link}.new`);
      await rename(`${link}.new`, link);
    };
    const data = join(folder, "..data");
    await symlink("v2", data);
    const { next } = await watched();
    let told = next();
    await turn(join("..data", "policies.yaml"), file);
    expect(await told).toEqual(policies(2));
    told = next();
    await turn("v3", data);
    expect(await told).toEqual(policies(3));
    told = next();
    await writeFile(`${file}.new`, yaml(4));
    await rename(`${file}.new`, file);
    expect(await told).toEqual(policies(4));
  });

  it("keeps the last good version where the file is wrong, tells where, and goes on", async () => {
    const { open, next } = await watched();
    const told = next();
    await writeFile(file, "limit: 2\nwindow: 1 minute\nmax: 3\n");
    const error = (await told) as PolicyFileError;
    expect(error.problems.map(({ path, line, column }) => [path, line, column])).toEqual([
      ["window", 2, 9],
      ["max", 3, 1],
    ]);
    expect(open.current).toEqual(policies(1));
    const mended = next();
    await writeFile(file, yaml(5));
    expect(await mended).toEqual(policies(5));
  });

  it("tells where the file is gone, and takes it once it is back", async () => {
    const { open, next } = await watched();
    const told = next();
    await rm(file);
    expect(await told).toMatchObject({ cause: { code: "ENOENT" } });
    expect(open.current).toEqual(policies(1));
    const back = next();
    await writeFile(file, yaml(6));
    expect(await back).toEqual(policies(6));
  });

  it.each<[what: string, spoil: () => Promise<void>]>([
    ["is gone", () => rm(file)],
    ["is no UTF-8", () => writeFile(file, Buffer.from([0x6c, 0xff, 0xfe]))],
    ["is wrong", () => writeFile(file, yaml("many"))],
  ])(
    "tells once that a file %s, however often it looks, and anew when it is so again",
    async (_what, spoil) => {
      const errors: unknown[] = [];
      source = await watchPolicies(file, {
        every: "1h",
        onError: (error) => void errors.push(error),
      });
      for (let i = 1; i <= 2; i++) {
        await spoil();
        for (let look = 0; look < 3; look++) await source.refresh();
        expect(errors).toHaveLength(i);
        await writeFile(file, yaml(1));
        await source.refresh();
      }
      expect(errors).toHaveLength(2);
      expect(source.current).toEqual(policies(1));
    },
  );

  it("tells of each content that is no UTF-8", async () => {
    const errors: unknown[] = [];
    source = await watchPolicies(file, {
      every: "1h",
      onError: (error) => void errors.push(error),
    });
    for (const byte of [0xfe, 0xfd]) {
      await writeFile(file, Buffer.from([0x6c, 0xff, byte]));
      for (let look = 0; look < 2; look++) await source.refresh();
    }
    expect(errors).toHaveLength(2);
  });

  it("never uses a half of a file that is being written", async () => {
    const time = manualAfter();
    const errors: unknown[] = [];
    source = await watchPolicies(file, {
      after: time.after,
      onError: (error) => void errors.push(error),
    });
    const seen: unknown[] = [];
    const told = new Promise<void>((resolve) => {
      source?.subscribe((next) => resolve(void seen.push(next)));
    });
    // Each partial text except the empty one is a complete policy.
    await writeFile(file, "");
    await time.asked(50);
    for (const text of [yaml(2), yaml(29), yaml(298)]) {
      await writeFile(file, text);
      await time.pass(50);
      await time.asked(50);
    }
    await time.pass(50);
    await told;
    expect(seen).toEqual([policies(298)]);
    expect(errors).toEqual([]);
  });

  it("tells nothing of a file that was only touched, and nothing once it is closed", async () => {
    const { open } = await watched();
    const seen: unknown[] = [];
    open.subscribe((policies) => void seen.push(policies));
    await writeFile(file, yaml(1));
    await open.refresh();
    open.close();
    await writeFile(file, yaml(2));
    await open.refresh();
    expect(seen).toEqual([]);
    expect(open.current).toEqual(policies(1));
  });
});
