// The table of programs whose command line holds a secret without a telling name: `mysql -pX`,
// `zip -P X`, `curl -u person:X`, `htpasswd -b file person X`.

export interface ProgramRule {
  readonly programs: string;
  /** One of these words (separated by `|`) must be present too. */
  readonly needs?: string;
  /** The next word after these flags is the secret. */
  readonly next?: string;
  /** The secret follows these flags or prefixes directly, in the same word. */
  readonly attached?: string;
  /** The value of these flags, separate or attached, holds the secret after the first occurrence of this sign. */
  readonly login?: string;
  readonly sign?: string;
  /** The value of these flags is a cookie if it contains `=`, otherwise a file name. */
  readonly cookie?: string;
  /** `name value` as two words: the secret follows a name that says so. */
  readonly names?: true;
  /** The value of every `name=value`. */
  readonly pairs?: true;
  /** The word at this index, without flags and `needs`. Negative: counted from the end, if there are `atLeast` words. */
  readonly index?: number;
  readonly atLeast?: number;
  /** A connection string of the form `user/secret@host`. */
  readonly indexSign?: string;
}

export const programRules: readonly ProgramRule[] = [
  {
    programs: "curl",
    login: "-u -U --user --proxy-user",
    sign: ":",
    cookie: "-b --cookie",
    next: "--pass --proxy-pass",
  },
  { programs: "curl wget", next: "--oauth2-bearer" },
  { programs: "wget", login: "-u -U --user --proxy-user", sign: ":" },
  { programs: "http https xh", login: "-a --auth", sign: ":" },
  { programs: "mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mariadb-admin", attached: "-p" },
  { programs: "sshpass", next: "-p", attached: "-p" },
  { programs: "docker podman buildah skopeo helm az nerdctl oras crane", needs: "login", next: "-p" },
  { programs: "twine cf ibmcloud oc argocd", needs: "upload|login", next: "-p" },
  { programs: "redis-cli", next: "-a --pass" },
  { programs: "redis-cli valkey-cli", needs: "config|acl", names: true },
  { programs: "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat", next: "-p", attached: "-p" },
  { programs: "openssl", attached: "pass:", next: "-k -K" },
  { programs: "zip unzip zipcloak unar", next: "-P --password", attached: "-P" },
  { programs: "7z 7za 7zr 7zz", attached: "-p" },
  { programs: "rar unrar", attached: "-hp -p" },
  {
    programs: "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapcompare",
    next: "-w -s",
    attached: "-w",
  },
  { programs: "smbclient rpcclient smbget net smbmap crackmapexec nxc", login: "-U --user", sign: "%" },
  { programs: "crackmapexec nxc evil-winrm xfreerdp", next: "-p", attached: "/p: -p:" },
  { programs: "htpasswd", needs: "-b|-nb|-bn|-cb|-bc|-bB|-Bb|-nbB|-nbBC|-Bbn|-bnB|-cBb|-bcB", index: -1, atLeast: 1 },
  { programs: "gh", needs: "secret|variable", next: "-b --body" },
  { programs: "aws", needs: "ssm|put-parameter", next: "--value" },
  { programs: "aws", needs: "configure", names: true },
  { programs: "vault bao", needs: "kv|write|put|patch", pairs: true },
  { programs: "vault bao", needs: "login", index: 0 },
  { programs: "doppler fly flyctl heroku railway", needs: "secrets|secret|config:set", pairs: true },
  { programs: "kubectl oc", needs: "secret", login: "--from-literal", sign: "=" },
  { programs: "docker", needs: "secret", names: true },
  { programs: "nmcli", names: true },
  {
    programs: "rclone npm pnpm yarn pip git gcloud az composer poetry bundle conda snowsql confluent glab",
    needs: "config",
    names: true,
  },
  { programs: "rclone", needs: "obscure", index: 0 },
  { programs: "setenv launchctl", names: true },
  { programs: "set", needs: "-x|-gx|-Ux|-xg|-xU", names: true },
  { programs: "ipmitool", next: "-P" },
  { programs: "snmpwalk snmpget snmpset snmpbulkwalk", next: "-A -X" },
  { programs: "sqlcmd bcp isql tsql", next: "-P", attached: "-P" },
  { programs: "lftp", login: "-u --user", sign: "," },
  { programs: "keytool jarsigner", next: "-storepass -keypass -deststorepass -srcstorepass -new" },
  { programs: "mc", needs: "alias", index: 4, atLeast: 4 },
  { programs: "sqlplus sqlcl expdp impdp rman", index: 0, indexSign: "/" },
  { programs: "net", needs: "user", index: 1 },
  { programs: "wpa_passphrase", index: 1 },
  { programs: "ConvertTo-SecureString", index: 0 },
  { programs: "borg restic age-keygen", next: "--passphrase" },
  { programs: "secret-tool keyring", next: "--password" },
  { programs: "security", needs: "add-generic-password|add-internet-password", next: "-w" },
  { programs: "rabbitmqctl", needs: "add_user|change_password|authenticate_user", index: 1 },
  { programs: "cmdkey", attached: "/pass:" },
  { programs: "ssh-keygen", next: "-N -P" },
  { programs: "openssl", needs: "passwd", index: 0 },
  { programs: "mkpasswd", needs: "-m|--method", index: 1 },
  { programs: "useradd usermod", next: "-p" },
  { programs: "az", needs: "keyvault", next: "--value" },
  { programs: "cargo", needs: "login", index: 0 },
  { programs: "snyk", needs: "auth", index: 0 },
  { programs: "codecov", next: "-t" },
  { programs: "cloudflared", needs: "install", index: -1, atLeast: 1 },
  { programs: "gem", needs: "push", next: "--key -k" },
  { programs: "nuget dotnet", needs: "push", next: "-k" },
  { programs: "ngrok", needs: "add-authtoken", index: -1, atLeast: 1 },
  { programs: "tailscale", next: "--authkey --auth-key" },
];

export interface StdinRule {
  readonly programs: string;
  /** One of these words must be present; empty means always. */
  readonly needs?: string;
}

/** Programs that read a secret from standard input. */
export const stdinRules: readonly StdinRule[] = [
  { programs: "chpasswd newusers kinit cryptsetup smbpasswd passwd kadmin" },
  { programs: "sudo doas", needs: "-S" },
  { programs: "gpg gpg2", needs: "--passphrase-fd" },
  { programs: "openssl", needs: "stdin" },
  { programs: "gh", needs: "--with-token|secret" },
  { programs: "wrangler", needs: "secret" },
  { programs: "htpasswd", needs: "-i|-ni|-bi" },
  { programs: "vault bao", needs: "-" },
  { programs: "git", needs: "credential|credential-store|credential-cache" },
  { programs: "fly flyctl", needs: "secrets" },
  { programs: "npm", needs: "login|adduser" },
];
