// What the words of a program's command line mean where they do not say so themselves, as data: `mysql -pX`,
// `zip -P X`, `curl -u person:X`, `htpasswd -b file person X`.

export interface ProgramRule {
  readonly programs: string;
  /** Of these words (divided by `|`) one must be there too. */
  readonly needs?: string;
  /** Flags whose next word is the secret. */
  readonly next?: string;
  /** Flags, or beginnings of words, that the secret is written right behind. */
  readonly glued?: string;
  /** Flags, by themselves or glued, whose value has the secret behind the first of this sign. */
  readonly login?: string;
  readonly sign?: string;
  /** Flags whose value is a cookie where it has an `=`, and a file where it has none. */
  readonly cookie?: string;
  /** `name value`, as two words: the secret stands behind a name that says so. */
  readonly names?: true;
  /** All of `name=value`. */
  readonly pairs?: true;
  /** The word of this number, flags and `needs` not counted. Below zero: from the end, where there are `atLeast`. */
  readonly place?: number;
  readonly atLeast?: number;
  /** A place that holds `user/secret@there`. */
  readonly placeSign?: string;
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
  { programs: "mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mariadb-admin", glued: "-p" },
  { programs: "sshpass", next: "-p", glued: "-p" },
  { programs: "docker podman buildah skopeo helm az nerdctl oras crane", needs: "login", next: "-p" },
  { programs: "twine cf ibmcloud oc argocd", needs: "upload|login", next: "-p" },
  { programs: "redis-cli", next: "-a --pass" },
  { programs: "redis-cli valkey-cli", needs: "config|acl", names: true },
  { programs: "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat", next: "-p", glued: "-p" },
  { programs: "openssl", glued: "pass:", next: "-k -K" },
  { programs: "zip unzip zipcloak unar", next: "-P --password", glued: "-P" },
  { programs: "7z 7za 7zr 7zz", glued: "-p" },
  { programs: "rar unrar", glued: "-hp -p" },
  {
    programs: "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapcompare",
    next: "-w -s",
    glued: "-w",
  },
  { programs: "smbclient rpcclient smbget net smbmap crackmapexec nxc", login: "-U --user", sign: "%" },
  { programs: "crackmapexec nxc evil-winrm xfreerdp", next: "-p", glued: "/p: -p:" },
  { programs: "htpasswd", needs: "-b|-nb|-bn|-cb|-bc|-bB|-Bb|-nbB|-nbBC|-Bbn|-bnB|-cBb|-bcB", place: -1, atLeast: 1 },
  { programs: "gh", needs: "secret|variable", next: "-b --body" },
  { programs: "aws", needs: "ssm|put-parameter", next: "--value" },
  { programs: "aws", needs: "configure", names: true },
  { programs: "vault bao", needs: "kv|write|put|patch", pairs: true },
  { programs: "vault bao", needs: "login", place: 0 },
  { programs: "doppler fly flyctl heroku railway", needs: "secrets|secret|config:set", pairs: true },
  { programs: "kubectl oc", needs: "secret", login: "--from-literal", sign: "=" },
  { programs: "docker", needs: "secret", names: true },
  { programs: "nmcli", names: true },
  {
    programs: "rclone npm pnpm yarn pip git gcloud az composer poetry bundle conda snowsql confluent glab",
    needs: "config",
    names: true,
  },
  { programs: "rclone", needs: "obscure", place: 0 },
  { programs: "setenv launchctl", names: true },
  { programs: "set", needs: "-x|-gx|-Ux|-xg|-xU", names: true },
  { programs: "ipmitool", next: "-P" },
  { programs: "snmpwalk snmpget snmpset snmpbulkwalk", next: "-A -X" },
  { programs: "sqlcmd bcp isql tsql", next: "-P", glued: "-P" },
  { programs: "lftp", login: "-u --user", sign: "," },
  { programs: "keytool jarsigner", next: "-storepass -keypass -deststorepass -srcstorepass -new" },
  { programs: "mc", needs: "alias", place: 4, atLeast: 4 },
  { programs: "sqlplus sqlcl expdp impdp rman", place: 0, placeSign: "/" },
  { programs: "net", needs: "user", place: 1 },
  { programs: "wpa_passphrase", place: 1 },
  { programs: "ConvertTo-SecureString", place: 0 },
  { programs: "borg restic age-keygen", next: "--passphrase" },
  { programs: "secret-tool keyring", next: "--password" },
  { programs: "security", needs: "add-generic-password|add-internet-password", next: "-w" },
  { programs: "rabbitmqctl", needs: "add_user|change_password|authenticate_user", place: 1 },
  { programs: "cmdkey", glued: "/pass:" },
  { programs: "ssh-keygen", next: "-N -P" },
  { programs: "openssl", needs: "passwd", place: 0 },
  { programs: "mkpasswd", needs: "-m|--method", place: 1 },
  { programs: "useradd usermod", next: "-p" },
  { programs: "az", needs: "keyvault", next: "--value" },
  { programs: "cargo", needs: "login", place: 0 },
  { programs: "snyk", needs: "auth", place: 0 },
  { programs: "codecov", next: "-t" },
  { programs: "cloudflared", needs: "install", place: -1, atLeast: 1 },
  { programs: "gem", needs: "push", next: "--key -k" },
  { programs: "nuget dotnet", needs: "push", next: "-k" },
  { programs: "ngrok", needs: "add-authtoken", place: -1, atLeast: 1 },
  { programs: "tailscale", next: "--authkey --auth-key" },
];

export interface StdinRule {
  readonly programs: string;
  /** One of these words; none: always. */
  readonly needs?: string;
}

/** Who reads a secret on its standard input. */
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
