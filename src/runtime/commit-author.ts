// Finds the author of a commit: from the configuration, from the person's git settings, or from the repository's settings if no agent
// can change them.

import type { ConfigEntry } from "../git/config-file.ts";
import { type Author, authorOf, passedOver } from "../git/identity.ts";
import { readPersonSettings } from "../git/person-config.ts";
import { findRepository, type Repository } from "../git/repository.ts";
import { branchOfHead, repositorySettings } from "../git/target/local/local-work-trees.ts";
import type { Config } from "../config/load.ts";
import { fsGrantFor } from "../policy/capability.ts";
import { resolvePath } from "../process/real-path.ts";
import { parentPath } from "../shared/path.ts";
import type { Result } from "../shared/result.ts";

/** The person's git settings that apply to this repository. */
export function settingsAround({ home, configDirectory }: Config, around: Result<Repository>): ConfigEntry[] {
  // `~/.config` of `~/.config/sallyport`.
  const paths = { home, configHome: parentPath(configDirectory) };
  if (!around.ok) return readPersonSettings(paths, null);
  const urls = repositorySettings(around.value).filter(({ section, key }) => section === "remote" && key === "url");
  return readPersonSettings(paths, {
    gitDirectory: around.value.gitDirectory,
    branch: branchOfHead(around.value.gitDirectory),
    remoteUrls: urls.flatMap(({ value }) => value ?? []),
  });
}

/**
 * SECURITY(T36): the author is never read from a repository that an agent can change. Git writes the name to the branch's log and to
 * every commit, so the agent could put its own text there.
 */
export function localAuthor(config: Config, settings: readonly ConfigEntry[], repository: Repository): Author {
  const own = repositorySettings(repository);
  const { commonDirectory, gitDirectory, configFile } = repository;
  const written = [commonDirectory, gitDirectory, ...(configFile === null ? [] : [configFile.path])];
  if (!written.some((path) => isWritableByAgents(path, config))) return authorBy(config, [...settings, ...own]);
  const author = authorBy(config, settings);
  return config.git.author === null ? { ...author, passedOver: passedOver(author, own) } : author;
}

/** The author for a target on another machine: the one that git would use in the project, because settings can depend on the directory. */
export function remoteAuthor(config: Config): Author {
  return authorBy(config, settingsAround(config, findRepository(resolvePath(config.project).real).repository));
}

function authorBy({ git: { author } }: Config, settings: readonly ConfigEntry[]): Author {
  return author === null ? authorOf(settings) : { ...author, guessed: [] };
}

/** Whether any agent of the configuration, not only this one, may write to the path. */
export function isWritableByAgents(path: string, { agents }: Config): boolean {
  return [...agents.values()].some((agent) => fsGrantFor(agent, path, "rw") !== undefined);
}
