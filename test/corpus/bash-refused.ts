// Scripts that must be refused: for which effect, and with which words. All are permission_denied.

interface ScriptRefusal {
  readonly kind: "privilege" | "destroy" | "interactive" | "push";
  /** What the message must name: the command as it would run. */
  readonly names: string;
}

const gains = (names: string): ScriptRefusal => ({ kind: "privilege", names: `gain privileges with ${names}` });
const files = (names: string): ScriptRefusal => ({ kind: "destroy", names: `destroy files with ${names}` });
const git = (names: string): ScriptRefusal => ({ kind: "destroy", names: `destroy git's work with ${names}` });
const talks = (names: string): ScriptRefusal => ({ kind: "interactive", names: `talk to a person with ${names}` });
const push = (names: string): ScriptRefusal => ({ kind: "push", names: `push to ${names}` });

export const bashRefusals: Readonly<Record<string, ScriptRefusal>> = {
  "bash-destr-sudo": gains("sudo id"),
  "bash-destr-sudo-env": gains("sudo id"),
  "bash-destr-doas": gains("doas id"),
  "bash-destr-pkexec": gains("pkexec id"),
  "bash-destr-rm-fr": files("rm -fr /"),
  "bash-destr-rm-trailing": files("rm / -rf"),
  "bash-destr-rm-noroot": files("rm -rf --no-preserve-root /"),
  "bash-destr-rm-star": files("rm -rf …"),
  "bash-destr-rm-home": files("rm -rf /"),
  "bash-destr-rm-dotdot": files("rm -rf ../.."),
  "bash-destr-rm-dot-slash-star": files("rm -rf …"),
  "bash-destr-rm-bash-c": files("rm -rf /"),
  "bash-destr-rm-find": files("find / -delete"),
  "bash-destr-rm-ifs": files("rm -rf /"),
  "bash-destr-rm-root-itself": files("rm -rf /"),
  "bash-destr-mkfs": files("mkfs.ext4 /dev/sda"),
  "bash-destr-dd": files("dd if=/dev/zero of=/dev/sda"),
  "bash-destr-chmod-root": files("chmod -R 777 /"),
  "bash-destr-chown-root": files("chown -R nobody /"),
  "bash-destr-crontab": files("crontab -r"),

  "bash-git-reset-hard": git("git reset --hard HEAD~1"),
  "bash-git-clean": git("git clean -fdx"),
  "bash-git-push-plus": push("origin, branch main"),
  "bash-git-push-delete2": push("origin, branch main"),
  "bash-git-push-mirror": push("*"),
  "bash-git-push": push("origin, branch main"),
  "bash-git-branch-D": git("git branch -D main"),
  "bash-git-checkout-f": git("git checkout -f main"),
  "bash-git-restore": git("git restore ."),
  "bash-git-rebase": git("git rebase -i HEAD~3"),
  "bash-git-stash-clear": git("git stash clear"),
  "bash-git-worktree-rm": git("git worktree remove --force x"),
  "bash-git-submodule-deinit": git("git submodule deinit -f --all"),
  "bash-git-dash-C-reset": git("git -C . reset --hard"),
  "bash-git-wrapped": git("git reset --hard"),
  "bash-git-rm-dotgit": git("rm -rf .git"),
  "bash-git-clean-in-chain": git("git clean -fd"),
  "bash-git-deny-strictest": push("*"),

  "bash-int-vim": talks("vim a.txt"),
  "bash-int-nano": talks("nano a.txt"),
  "bash-int-top": talks("top"),
  "bash-int-ssh": talks("ssh host"),
  "bash-int-git-rebase-i": git("git rebase -i HEAD~2"),
  "bash-int-mysql": talks("mysql"),
  "bash-int-passwd": talks("passwd"),
  "bash-int-gpg": talks("gpg --gen-key"),
  "bash-int-tmux": talks("tmux"),
};
