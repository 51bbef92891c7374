import { type FSWatcher, statSync, watch } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";

/** Notices changes to a file, as far as the file system reports them. */
export interface WatchedFile {
  /** Watches the file's present location: a link may point elsewhere, a directory may have been recreated. */
  renew(): Promise<void>;
  close(): void;
}

interface Watched {
  readonly inode: number;
  readonly watcher: FSWatcher;
  /** Names whose changes count; undefined: all. */
  names: readonly string[] | undefined;
}

/**
 * Watches the directories of a file and of its link target, because replacing a file creates another one. Ignores
 * failures to watch: callers also poll.
 */
export function watchedFile(path: string, changed: () => void): WatchedFile {
  const directories = new Map<string, Watched>();
  let closed = false;

  function forget(directory: string): void {
    directories.get(directory)?.watcher.close();
    directories.delete(directory);
  }

  function watchIn(directory: string, names: readonly string[] | undefined): void {
    try {
      const inode = statSync(directory).ino;
      const known = directories.get(directory);
      if (known?.inode === inode) {
        // A file may have become a link, or a link a file.
        known.names = names;
        return;
      }
      forget(directory);
      const watcher = watch(directory, { persistent: false }, (_, name) => {
        if (name === null || !watched.names || watched.names.includes(name)) changed();
      });
      const watched: Watched = { inode, watcher, names };
      watcher.on("error", () => forget(directory));
      directories.set(directory, watched);
    } catch {
      forget(directory);
    }
  }

  return {
    async renew() {
      const real = await realpath(path).catch(() => path);
      if (closed) return;
      const linked = real !== path;
      const wanted = new Set([dirname(path), dirname(real)]);
      for (const directory of directories.keys()) if (!wanted.has(directory)) forget(directory);
      // An intermediate link may change under any name.
      for (const directory of wanted) watchIn(directory, linked ? undefined : [basename(path)]);
    },
    close() {
      closed = true;
      for (const directory of directories.keys()) forget(directory);
    },
  };
}
