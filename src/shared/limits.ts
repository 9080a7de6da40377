// Every bound of the program, in one place, its unit in its name.

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  // What a call may ask for.
  timeoutDefaultS: 60,
  timeoutMaxS: 600,
  scriptTimeoutDefaultS: 120, // of Bash and Python, which build and test
  scriptTimeoutMaxS: 3_600,
  helperMs: 10_000, // of a small program of the system that the gate waits for
  draftTrialMs: 60_000, // a mount waits for a busy disk
  runTimeoutS: 7 * 24 * 3_600, // of `sallyport run`
  outputDefaultBytes: 256 * KiB,
  outputMinBytes: 1 * KiB,
  outputMaxBytes: 4 * MiB,
  stdinMaxBytes: 4 * MiB,
  callJsonBytes: 8 * MiB, // the arguments of a call on standard input: stdin's text with every character escaped
  argumentCount: 50_000,
  argumentsTotalBytes: 1 * MiB, // argv + env; Linux gives up at a quarter of the stack limit (2 MiB by default)
  argumentBytes: 128 * KiB - 1, // MAX_ARG_STRLEN, its NUL not counted
  environmentCount: 1_000,
  commandBytes: 16 * KiB,
  shellCommands: 100,
  shellTimeoutS: 900,
  shellTimeoutMaxS: 3_600,
  pathBytes: 4_095, // PATH_MAX, its NUL not counted

  // The defaults of a run of Bash, Python and Shell: what builds and test suites need.
  workMemoryMb: 8 * 1024, // at most; half of the machine's memory where that is less
  workFsizeMb: 4 * 1024,
  workNofile: 65_536,
  workNproc: 4_096,

  // The defaults of every other run.
  memoryMb: 512,
  fsizeMb: 64,
  diskMb: 2_048,
  nofile: 256,
  nproc: 128,
  tmpMb: 256,
  shmMb: 64,

  // What the programs of a run may do on the network, where they have single hosts.
  networkConnections: 64, // at once
  networkOutMb: 64, // what leaves the machine
  networkInMb: 2_048,
  networkIdleS: 120,
  networkJudgedMs: 1_000, // after a program has ended, for a connection of its that is still being judged
  networkSentMs: 5_000, // and for what it sent
  proxyPort: 3_128, // in the box, for programs that want a proxy
  insidePort: 3_127, // in the box of `sallyport run`, where the gate serves its programs
  packageFileBytes: 256 * MiB, // the largest file of a host with `cache: true` that is kept
  packageCacheBytes: 2_048 * MiB, // and all of them
  connectionHoldMs: 8_000, // a connection waits for a person's answer; clients give up soon after

  // How much a run may write to a disk, and how often the gate checks.
  diskReserveBytes: 256 * MiB,
  diskCheckMs: 100,
  diskProcesses: 1_000,

  // How a run ends.
  killGraceMs: 1_000,
  drainMs: 250, // after the last process is gone, what still stands in the pipes

  // A run in the box of a browser.
  boxStartMs: 60_000, // until an interpreter has started, on a busy machine
  boxAnswerMs: 10_000, // for the page of the box, after the time of a run
  boxPulseMs: 3_000, // how often the page of the box is asked whether it is there
  boxAnswerTries: 10, // until it counts as gone
  boxTryMs: 1_000, // each
  boxSpareMs: 120_000, // how long a started interpreter waits for the next run
  boxOutputBytes: 64 * MiB, // of both streams; the gate keeps less
  boxMessageBytes: 256, // what a message counts beyond its bytes
  boxProblemCharacters: 300,
  boxMemoryBytes: 1_024 * MiB, // of Python's own memory

  // Importing changes from a workspace in memory.
  treeReadMs: 30_000, // after the program has ended
  treePathsBytes: 64 * MiB, // all names together

  // The layers of a call, over what it may change of the machine.
  layerCount: 64,
  landingSteps: 200_000, // files and directories that change
  landingListBytes: 64 * MiB, // their names
  landingJournalBytes: 256 * MiB,
  landingTurnMs: 60_000, // that a landing waits for another one in the same directory
  landingMostMs: 60 * 60 * 1000, // a landing of a gate in another container; after that, it was killed
  layerKeepMs: 24 * 60 * 60 * 1000, // what did not land
  keptLayerCount: 20, // then the oldest go
  fileTimeTickMs: 10, // how late the kernel's clock for the times of files can be
  conflictsNamed: 10,

  // What the box reads on the host.
  hideMemoryDirectoryCount: 50_000, // of one tree, remembered between processes
  hideMemoryTreeCount: 20,
  hiddenPathCount: 1_000,
  treePathBytes: 3_000, // a box needs room before and after a path of PATH_MAX
  hashedFileBytes: 256 * MiB, // a script or program that the agent can change; a larger one counts by its identity and times

  // What a reply lists at most. An agent reads it, and can ask for the rest.
  statusEntries: 200, // files of git_status, git_stage, git_pull, and of git_diff with `stat`
  artifactEntries: 100, // files that a run changed
  namedInText: 20, // of such a list, in the text beside the structured reply
  diffCharacters: 60_000,
  comparedBytes: 512 * MiB, // new content of all files in one diff of a workspace
  sessionHosts: 200, // of one session, the latest
  listedSessions: 200, // of `sallyport changes list`, which looks into each
  listedBytes: 64 * MiB, // of a session that such a list compares line by line
  listedFileBytes: 1 * MiB, // of one file that a list, or the page, compares so
  listedFileLines: 20_000,
  landingS: 3_600, // how long a person may look at what they are about to land
  namedDiffCharacters: 4 * MiB, // of files that the call names one by one

  // What the file tools return.
  readFileBytes: 1 * MiB,
  listDefault: 200,
  listMost: 5_000,
  searchDefault: 100,

  // A workspace.
  workspaceFileBytes: 64 * MiB,
  workspaceTotalBytes: 512 * MiB,
  workspaceFileCount: 100_000,
  workspacePathBytes: 2_048, // below /workspace; the box needs room before it
  workspaceNameBytes: 255, // NAME_MAX
  workspaceDepth: 64,
  workspaceStoreBytes: 8 * 1024 * MiB, // every kept session together
  draftCopyBytes: 8 * 1024 * MiB, // copied when a draft begins; files that do not fit show through
  draftFileBytes: 256 * MiB, // of one file that is copied; a larger one could not be staged either
  draftLeftOut: 1_000, // files that are not copied for that reason, or cannot be read
  draftMb: 16 * 1024, // layer, git directory and home of a draft together
  draftOverBytes: 64 * MiB, // that a draft over its bound may still grow, so that git can delete files
  draftStepBytes: 1 * MiB, // that a call may add past that
  draftGuardMs: 250, // a box of a draft that runs longer is watched: what the person makes in the project meanwhile is kept out
  draftWatches: 2_000, // directories that the kernel watches for that
  draftFiles: 250_000, // copied when a draft begins; a larger project shows through
  draftNamesBytes: 8 * MiB, // names in directories with ignored files; with more, the project shows through
  workspaceLinks: 40, // in the way to one file; as the kernel

  // The `.gitignore` files of a workspace. What is beyond is not ignored.
  ignoreFileBytes: 256 * KiB,
  ignoreFiles: 1_000,
  ignoreTotalBytes: 1 * MiB,
  ignoreSteps: 10_000_000, // characters compared with parts of patterns, in one call

  // A search in a workspace.
  searchPatternCharacters: 1_000,
  searchProgramSize: 5_000, // instructions, once the counted repeats are written out
  searchMatches: 1_000,
  searchLineCharacters: 400,
  searchResultCharacters: 128 * KiB,
  searchMs: 5_000,

  // Staging, pushing and pulling.
  gitReadBytes: 256 * MiB,
  gitIndexBytes: 256 * MiB, // names of about two million files
  gitReadS: 120, // one git that reads objects or the index in the box
  gitBeginS: 600, // the git that commits the project as it is when a draft begins
  gitLandS: 300, // one git of a landing
  gitLandMemoryMb: 2_048,
  gitLandFileMb: 4_096,
  gitLandFiles: 1_024, // open at once
  gitEntries: 200_000, // of a git directory's refs and logs that are looked at before anything is written
  personProgramS: 600, // a program that runs for the person on this machine alone
  remoteSilentS: 120, // another machine that says nothing, and takes nothing
  remoteTotalS: 3_600, // one fetch or push, however it goes on
  githubAnswerBytes: 96 * MiB, // one answer of GitHub's interface: the largest file of a workspace in base64, with its line ends
  stagedFiles: 20_000, // of one commit
  messageBytes: MiB,
  pushWarnBytes: 5 * MiB, // a file larger than this is said in the review

  // An MCP client.
  clientWaitS: 50, // for a person's answer, if the client hears nothing meanwhile; many give up on such a call after 60
  formCharacters: 20_000, // a longer question is only in the queue
  modelOutputBytes: 32 * KiB, // of each stream, for a model that named no size
  replyTextCharacters: 100_000, // the text beside the structured reply
  requestBodyBytes: 12 * MiB, // a call's arguments, and what goes round them
  clientSessions: 256,
  sessionIdleS: 24 * 3_600, // of a client that does not say when it leaves: as long as its questions wait
  debugLogBytes: 4 * MiB, // of one call: a client need not read as fast as a program prints

  // Questions to a person.
  questionBytes: 10 * KiB,
  reasonCharacters: 12_000, // of a no, with the comments on lines
  reviewComments: 50, // of one no
  questionsWaiting: 200, // of one session
  questionsWaitingAgent: 400, // of one agent, in all its sessions: whoever connects may name as many as they like
  questionsWaitingTotal: 2_000, // of all
  questionsAlways: 20, // of a session, or of an agent, that has fewer: the last quarter of the room is for those
  questionsListed: 100, // on the page, at once
  alikeShown: 3, // rows of questions that are alike, before the person opens them together
  answeredTogether: 50, // with one action of a person
  questionOpenS: 24 * 3_600,
  noticeMs: 10_000, // of a person's command, or of a server, that is told that questions wait
  noticeTries: 8, // of one notice
  noticeRetryS: 2, // before the second try; twice as long before each further one
  noticeQuestions: 20, // that a notice lists
  noticeTitleCharacters: 300,
  pushTextCharacters: 600, // of a notice to a device, which a push service takes 4 KiB of
  pushKeptS: 12 * 3_600, // a push service keeps one for a device that is off
  yesUnusedS: 15 * 60,

  // The web page.
  pageBodyBytes: 64 * KiB,
  editedFileBytes: MiB, // of a file that a person edits in the side panel
  pictureBytes: 16 * MiB,
  contextBytes: 8 * MiB, // a file whose unchanged lines can be asked for
  contextLines: 5_000, // at once
  logPageMost: 500,
  statsHours: 168,

  // The record.
  auditEntryBytes: 64 * KiB,
  auditStringBytes: 16 * KiB,
  auditSaidBytes: 16 * KiB, // an entry of what an agent says
  saidBurst: 200, // such entries of one box at once
  saidPerS: 5, // and in the long run
  saidInBoxBytes: 8 * MiB, // and in all
  saidWaitMs: 1_000, // the longest time that a client in a box waits for its hook
} as const;
