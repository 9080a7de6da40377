// Which devices may answer for the person, what is enforced on this machine, what would improve it, and what each agent was granted.

import type { MachineView } from "../../src/web/api-machine.ts";
import { useResource } from "../resource.ts";
import { T } from "../text.tsx";
import { AgentPanel } from "./agent-panel.tsx";
import { DevicesPanel } from "./devices-panel.tsx";
import { conclusion, type Held, heldWords, wordsOfFinding } from "./held-words.ts";
import "./machine.css";

export function MachinePage() {
  const { value, error, isLoading } = useResource<MachineView>("/api/machine");
  return (
    <>
      <div class="page-head">
        <h1>Machine</h1>
        {value !== null && (
          <p class="quiet">
            node <T text={value.node} maxLength={40} /> on <T text={value.machine.architecture} maxLength={40} />
            {value.machine.bubblewrap != null && (
              <>
                , bubblewrap <T text={value.machine.bubblewrap.version} maxLength={40} />
              </>
            )}
          </p>
        )}
      </div>
      {error !== null && (
        <p class="notice is-high" role="alert">
          {error.message}
        </p>
      )}
      <DevicesPanel />
      {value === null && isLoading && <p class="quiet">Looking at the machine…</p>}
      {value !== null && <Machine machine={value} />}
    </>
  );
}

function Machine({ machine }: { readonly machine: MachineView }) {
  const { sandbox, configuration, configuration_error: problem } = machine;
  return (
    <>
      {sandbox.problem !== null && (
        <div class="notice is-high machine-problem" role="alert">
          <p>
            <strong>No call can run here: </strong>
            <T text={sandbox.problem.message} maxLength={1_000} />
          </p>
          <Mend text={sandbox.problem.mend} />
        </div>
      )}
      <Findings machine={machine} />
      {problem != null && (
        <div class="notice is-high machine-problem">
          <p>
            <strong>The configuration cannot be used. </strong>
          </p>
          <pre class="block">
            <T text={problem} maxLength={10_000} multiline />
          </pre>
        </div>
      )}
      {configuration !== null && <Configuration configuration={configuration} require={sandbox.require} />}
      {configuration?.agents.map((agent) => (
        <AgentPanel key={agent.name} agent={agent} />
      ))}
    </>
  );
}

/** Enforcement by the gate itself is a warning only if something could enforce more. */
function heldStyle(held: Held, mend: string | null): string {
  return held === "kernel" ? " is-held" : held === "no" ? " is-high" : mend === null ? "" : " is-medium";
}

function Findings({ machine: { machine } }: { readonly machine: MachineView }) {
  return (
    <section class="panel machine-panel" aria-labelledby="held-title">
      <div class="panel-title machine-title">
        <h2 id="held-title">What holds a call</h2>
        <p class="quiet">{conclusion(machine.findings)}</p>
      </div>
      <dl class="panel-body held-meaning">
        {(["kernel", "runtime", "no"] as const)
          .filter((held) => machine.findings.some((finding) => finding.held === held))
          .map((held) => (
            <div key={held}>
              <dt>{heldWords[held].label}</dt>
              <dd>{heldWords[held].meaning}</dd>
            </div>
          ))}
      </dl>
      <ul class="list findings">
        {machine.findings.map(({ name, held, how, mend }) => {
          const { label, about } = wordsOfFinding(name);
          return (
            <li key={name}>
              <h3>
                <T text={label} maxLength={60} />
              </h3>
              <p class="finding-held">
                <span class={`badge${heldStyle(held, mend)}`}>{heldWords[held].label}</span>
              </p>
              <div class="finding-words">
                <p>{about}</p>
                <p class="quiet">
                  <T text={how} maxLength={400} />
                </p>
                {mend !== null && mend !== "see above" && <Mend text={mend} />}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Mend({ text }: { readonly text: string }) {
  return (
    <p class="mend">
      <strong>To hold more: </strong>
      <T text={text} maxLength={1_000} />
    </p>
  );
}

interface ConfigurationProps {
  readonly configuration: NonNullable<MachineView["configuration"]>;
  readonly require: string;
}

function Configuration({ configuration, require }: ConfigurationProps) {
  const { file, directory, project, approvals, notes } = configuration;
  return (
    <section class="panel machine-panel" aria-labelledby="configuration-title">
      <h2 class="panel-title" id="configuration-title">
        Configuration
      </h2>
      <dl class="facts panel-body">
        <dt>file</dt>
        <dd>
          {file === null ? (
            <>
              none, so the built-in defaults hold
              {directory !== undefined && (
                <>
                  {" "}
                  (
                  <code>
                    <T text={`${directory}/config.yaml`} maxLength={1_000} />
                  </code>{" "}
                  would be read)
                </>
              )}
            </>
          ) : (
            <code>
              <T text={file} maxLength={1_000} />
            </code>
          )}
        </dd>
        <dt>project</dt>
        <dd>
          <code>
            <T text={project} maxLength={1_000} />
          </code>
        </dd>
        <dt>box</dt>
        <dd>
          {require === "kernel"
            ? "No call runs unless the kernel holds files, network, processes and system calls."
            : "Limits suffice: a call may run where the kernel holds less."}
        </dd>
        {approvals !== undefined && (
          <>
            <dt>questions</dt>
            <dd>
              {approvals.mode === "deny"
                ? "None: what is not granted is refused at once."
                : `Asked here, in the terminal, or with sallyport review; a call waits ${approvals.timeoutS} s for an answer.`}
            </dd>
          </>
        )}
        {notes.map((note) => [
          <dt key={`${note} name`}>note</dt>,
          <dd key={note}>
            <T text={note} maxLength={2_000} />
          </dd>,
        ])}
      </dl>
    </section>
  );
}
