// An agent and its grants: tools, paths, network, limits.

import type { MachineAgent } from "../../src/web/api-machine.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";

export function AgentPanel({ agent }: { readonly agent: MachineAgent }) {
  const { name, tools, fs_grants: grants, network, net_grants: hosts = [], limits, suggestions } = agent;
  const link = `${linkTo.log()}?${new URLSearchParams({ agent: name }).toString()}`;
  return (
    <section class="panel machine-panel">
      <div class="panel-title machine-title">
        <h2>
          Agent <T text={name} maxLength={80} />
        </h2>
        <p>
          <a href={link}>Its entries in the log</a>
        </p>
      </div>
      <dl class="facts panel-body">
        <dt>tools</dt>
        <dd>
          <Names names={tools.filter(({ granted }) => granted).map((tool) => tool.name)} />
        </dd>
        <dt>not granted</dt>
        <dd>
          <Names names={tools.filter(({ granted }) => !granted).map((tool) => tool.name)} isQuiet />
        </dd>
        <dt>paths</dt>
        <dd>
          <ul class="grants">
            <li>
              <code>/workspace</code> <span class="quiet">its own: seen and changed</span>
            </li>
            {grants.map((grant) => (
              <li key={`${grant.mode} ${grant.path}`}>
                <code>
                  <T text={grant.path} maxLength={1_000} />
                </code>{" "}
                <span class="quiet">
                  {grant.mode === "rw" ? "changed directly, by your own exception" : "seen and run"}
                  {!grant.exists && ", not there"}
                  {(grant.hide ?? []).length > 0 && (
                    <>
                      , but never <T text={(grant.hide ?? []).join(" ")} maxLength={500} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </dd>
        <dt>network</dt>
        <dd>
          {network === "none" && "None."}
          {network === "host" && "All that this machine reaches."}
          {network === "hosts" && (
            <ul class="grants">
              {hosts.map((line) => (
                <li key={line}>
                  <T text={line} maxLength={500} />
                </li>
              ))}
            </ul>
          )}
        </dd>
        {limits !== undefined && (
          <>
            <dt>limits</dt>
            <dd>
              {limits.memoryMb} MB of memory, files of {limits.fsizeMb} MB, {limits.nofile} open files, {limits.nproc}{" "}
              processes
            </dd>
          </>
        )}
        {(suggestions ?? []).length > 0 && (
          <>
            <dt>could run</dt>
            <dd>
              <ul class="grants">
                {(suggestions ?? []).map(({ program, grant }) => (
                  <li key={program}>
                    <code>
                      <T text={program} maxLength={100} />
                    </code>{" "}
                    <span class="quiet">
                      with a grant to read{" "}
                      <code>
                        <T text={grant} maxLength={1_000} />
                      </code>
                    </span>
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Names({ names, isQuiet }: { readonly names: readonly string[]; readonly isQuiet?: boolean }) {
  if (names.length === 0) return <>none</>;
  return (
    <ul class={`names${isQuiet === true ? " is-quiet" : ""}`}>
      {names.map((name) => (
        <li key={name}>
          <code>
            <T text={name} maxLength={100} />
          </code>
        </li>
      ))}
    </ul>
  );
}
