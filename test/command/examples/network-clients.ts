import type { ProgramExamples } from "./program-examples.ts";

export const networkClientsExamples: ProgramExamples = {
  curl: {
    effects: [
      {
        kind: "network",
        is: [
          "curl -s https://example.com@evil.invalid/",
          "curl x.invalid/a",
          "curl -o out -H 'a: b' http://127.0.0.1:9/",
          'curl "$url"',
          "curl --unix-socket /s http://x/info --next http://x/info",
          "wget -q http://127.0.0.1:9/",
          "wget -O - http://0x7f.1/",
          "curl -K x",
          "curl 'https://a.invalid\\@b.invalid/'",
          "curl 'http://[::1]:80/'",
          "curl https://x.invalid:80/",
          "curl https://B%C3%BCcher.invalid:8443/",
          "curl -x proxy.invalid:3128 https://x.invalid/",
        ],
        hosts: [
          "evil.invalid:443",
          "x.invalid:80",
          "127.0.0.1:9",
          "*",
          "x:80",
          "127.0.0.1:9",
          "127.0.0.1:80",
          "*",
          "*",
          "[::1]:80",
          "x.invalid:80",
          "xn--bcher-kva.invalid:8443",
          "x.invalid:443 proxy.invalid:3128",
        ],
        isNot: [
          "curl --version",
          "echo curl http://x",
          "curl file:///etc/hosts",
          "curl -s --unix-socket /run/app.sock http://app.test/status",
        ],
      },
    ],
  },
  dig: {
    effects: [
      {
        kind: "network",
        is: ["dig x.invalid", "host x", "getent hosts x"],
        hosts: ["*", "*", "*"],
        isNot: ["getent passwd root", "getent group"],
      },
    ],
  },
  aws: {
    effects: [
      {
        kind: "network",
        is: ["gh pr list", "aws s3 ls"],
        hosts: ["api.github.com:443 github.com:443 *", "*"],
        isNot: ["gh --version", "terraform fmt", "terraform -chdir=x fmt"],
      },
    ],
  },
  gh: {
    effects: [
      {
        kind: "push",
        is: [
          "gh repo create x --source . --push",
          "glab mr create --push",
          "glab mr new -f",
          "hub pull-request -p",
          "jj git push",
          "jj -R x git push --all",
        ],
        isNot: [
          "gh repo create x --private",
          "gh pr create --fill",
          "gh pr list",
          "gh repo sync",
          "glab mr list",
          "hub pull-request",
          "jj git fetch",
          "jj log",
        ],
      },
    ],
  },
  hub: { starts: [["hub push origin", "git push origin"], ["hub pull-request"]] },
};
