// The settings of this place: the app at GitHub, the model, and what is stored. The browser asks about the addresses when they are saved.

import { useState } from "preact/hooks";
import type { ModelSettings } from "../../src/web/api-work.ts";
import { ApiError } from "../../ui/client.ts";
import { Problem } from "../../ui/problem.tsx";
import { errorOf } from "../../ui/resource.ts";
import { T } from "../../ui/text.tsx";
import { Field, SelectField } from "../../ui/field.tsx";
import { linkAt } from "./github-links.ts";
import { StorageLine } from "./storage-line.tsx";
import { type ChangedSettings, workCalls } from "./work-calls.ts";
import { githubPatterns, modelPatterns, readPageAddress, type WorkHost } from "./work-hosts.ts";
import { useWork } from "./work-state.ts";

type Provider = ModelSettings["provider"] | "none";

const providers: readonly { readonly value: Provider; readonly name: string }[] = [
  { value: "none", name: "none: only by hand" },
  { value: "anthropic", name: "Anthropic" },
  { value: "openai", name: "OpenAI, or a server that speaks as it does" },
  { value: "google", name: "Google" },
];

const exampleNames: Readonly<Record<Provider, string>> = {
  none: "",
  anthropic: "claude-sonnet-5",
  openai: "gpt-5",
  google: "gemini-2.5-pro",
};

interface Form {
  readonly clientId: string;
  readonly githubUrl: string;
  readonly provider: Provider;
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
}

function refusal(message: string, hint: string): ApiError {
  return new ApiError(0, { error: "refused", message, hint });
}

/** Throws what is wrong with it. */
function readForm({ clientId, githubUrl, provider, name, baseUrl }: Form): {
  readonly settings: ChangedSettings;
  readonly patterns: readonly string[];
} {
  const github = readPageAddress(githubUrl);
  if (github === null) throw refusal("This is not the address of a GitHub.", "Such as https://github.com.");
  const model =
    provider === "none"
      ? null
      : {
          provider,
          name: name.trim(),
          baseUrl: baseUrl.trim().replace(/\/+$/, "") || null,
        };
  const ofModel = model === null ? [] : modelPatterns(model);
  if (ofModel === null) throw refusal("This is not the address of a model.", "Such as https://models.example/v1.");
  return {
    settings: { clientId: clientId.trim() || null, githubUrl: github.address, model },
    patterns: [...githubPatterns(github), ...ofModel],
  };
}

export function SettingsPage({ host }: { readonly host: WorkHost }) {
  const { account } = useWork();
  const [error, setError] = useState<ApiError | null>(null);
  return (
    <>
      <h1 class="view-title">Settings</h1>
      <SettingsForm host={host} />
      <section class="panel form-panel" aria-labelledby="account-title">
        <h2 class="panel-title" id="account-title">
          Account
        </h2>
        <div class="panel-body">
          {account === null ? (
            <p class="quiet">Nobody is signed in.</p>
          ) : (
            <>
              <p>
                Signed in as{" "}
                <strong>
                  <T text={account.login} maxLength={100} />
                </strong>
                , until the browser ends.
              </p>
              <button
                class="button"
                type="button"
                onClick={() => void workCalls.signOut().catch((thrown: unknown) => setError(errorOf(thrown)))}
              >
                Sign out
              </button>
            </>
          )}
          {error !== null && <Problem error={error} />}
        </div>
      </section>
      <section class="panel form-panel" aria-labelledby="storage-title">
        <h2 class="panel-title" id="storage-title">
          Storage
        </h2>
        <div class="panel-body">
          <StorageLine />
        </div>
      </section>
    </>
  );
}

export function SettingsForm({ host }: { readonly host: WorkHost }) {
  const { settings } = useWork();
  const { model } = settings;
  const [form, setForm] = useState<Form>(() => ({
    clientId: settings.clientId ?? "",
    githubUrl: settings.githubUrl,
    provider: model?.provider ?? "none",
    name: model?.name ?? "",
    baseUrl: model?.baseUrl ?? "",
    key: "",
  }));
  const [error, setError] = useState<ApiError | null>(null);
  const [state, setState] = useState<"" | "saving" | "saved">("");
  const set = (field: keyof Form) => (value: string) => {
    setForm((before) => ({ ...before, [field]: value }));
    setState("");
  };
  const save = async (): Promise<void> => {
    const { settings: changed, patterns } = readForm(form);
    if (!(await host.allow(patterns)))
      throw refusal("The browser may not reach these addresses.", "Allow it when the browser asks.");
    await workCalls.changeSettings(changed);
    if (form.key.trim() !== "") await workCalls.keepKey(form.key.trim());
    setForm((before) => ({ ...before, key: "" }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setError(null);
    setState("saving");
    save().then(
      () => setState("saved"),
      (thrown: unknown) => {
        setState("");
        setError(errorOf(thrown));
      },
    );
  };
  const github = readPageAddress(form.githubUrl)?.address;
  const register = github === undefined ? null : linkAt(github, `${github}/settings/applications/new`);
  const isAnotherModel = form.provider !== "none";
  return (
    <form class="settings" onSubmit={submit}>
      <fieldset class="panel form-panel">
        <legend>GitHub</legend>
        <Field
          label="Client id"
          value={form.clientId}
          onValue={set("clientId")}
          maxLength={100}
          isRequired
          isCode
          hint={
            <>
              Of an OAuth app at GitHub with the device flow switched on. It is no secret.{" "}
              {register !== null && (
                <a href={register} target="_blank" rel="noopener noreferrer">
                  Register one
                </a>
              )}
            </>
          }
        />
        <Field
          label="Address of GitHub"
          value={form.githubUrl}
          onValue={set("githubUrl")}
          maxLength={200}
          isRequired
          hint="Another one for an Enterprise server."
        />
      </fieldset>
      <fieldset class="panel form-panel">
        <legend>The agent's model</legend>
        <SelectField label="Provider" value={form.provider} options={providers} onValue={set("provider")} />
        {isAnotherModel && (
          <>
            <Field
              label="Model"
              value={form.name}
              onValue={set("name")}
              maxLength={200}
              isRequired
              isCode
              placeholder={exampleNames[form.provider]}
            />
            <Field
              label="Address"
              value={form.baseUrl}
              onValue={set("baseUrl")}
              maxLength={400}
              hint="Empty: the provider's own."
            />
            <Field
              label={model?.hasKey === true ? "Another key" : "Key"}
              value={form.key}
              onValue={set("key")}
              maxLength={1_000}
              type="password"
              hint={
                model?.hasKey === true
                  ? "A key is there. It goes to the model's address alone, and is gone when the browser ends."
                  : "It goes to the model's address alone, and is gone when the browser ends."
              }
            />
          </>
        )}
      </fieldset>
      {error !== null && <Problem error={error} />}
      <div class="button-row">
        <button class="button is-main" type="submit" disabled={state === "saving"}>
          Save
        </button>
        <span class="quiet" role="status">
          {state === "saved" ? "Saved." : ""}
        </span>
      </div>
    </form>
  );
}
