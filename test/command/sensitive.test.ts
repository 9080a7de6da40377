// Which files of a repository look like secrets by their names, and which only sound like it.

import assert from "node:assert/strict";
import test from "node:test";
import { looksSecret } from "../../src/command/sensitive.ts";

const secrets = [
  ".env .envrc .env-prod .env_local .ENV .env.local .env.d/a .envs/.production/.django prod.env",
  "config/Prod.ENV .env.bak .env~ .env.example/real .env.sampled id_rsa ID_RSA id_dsa id_ecdsa",
  "id_ecdsa_sk id_ed25519 id_ed25519_sk id_rsa.old id_rsa_work ssh_host_ed25519_key a.pem a.PEM b.key",
  "c.p12 d.pfx x.jks x.keystore x.ppk x.kdbx AuthKey_1.p8 server.key.bak private.asc my-secret-key.asc",
  "secring.gpg .npmrc web/.npmrc .pypirc .netrc _netrc .git-credentials .pgpass .my.cnf .htpasswd",
  "credentials credentials.json Credentials.JSON secrets.yaml secret.yml service-account.json",
  "service-account-prod.json service_account.json client_secret_1.json .ssh/config .ssh/id_rsa.pub",
  "home/.aws/credentials .gnupg/pubring.kbx .kube/config .docker/config.json .azure/x",
  ".config/gcloud/x.db home/.config/gh/hosts.yml .SSH/config terraform.tfstate terraform.tfstate.backup",
  "prod.tfstate prod.tfvars prod.auto.tfvars.json",
].flatMap((line) => line.split(" "));

const others = [
  "environment.ts env.ts env src/env/x.ts my.env.ts venv/x .venv/x environment/prod.yml .env.example",
  ".env.sample .env.template .env.dist .env.production.example .ENV.EXAMPLE example.env app.sample.env",
  "template.env keys.md key src/key/x.ts monkey.ts keyboard.key.ts pem.md keystore.ts public.asc",
  "id_rsa.pub id_ed25519.pub id_rsapub id_rsax grid_rsa release.tar.gz.asc ssh_host_keys.md",
  "credentials.ts src/credentials/x.ts src/secrets/x.ts secrets.ts credentials.yml.enc npmrc.md",
  "service-account.ts account.json main.tf terraform.tfvars.example .config/app.json docker/x aws/x",
  "ssh/config README.md a/b/c.txt .gitignore .dockerignore docs/.ssh.md",
].flatMap((line) => line.split(" "));

test("names that hold secrets, in any case, in any directory", () => {
  for (const path of [...secrets, ...secrets.map((one) => `a/b/${one}`)]) assert.equal(looksSecret(path), true, path);
});

test("names that only sound like it, and those that are meant to be read", () => {
  for (const path of [...others, ...others.map((one) => `a/b/${one}`)]) assert.equal(looksSecret(path), false, path);
});
