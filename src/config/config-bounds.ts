// Bounds of the values in a configuration file. A value beyond them is a typing error.

export const configBounds = {
  fileBytes: 1024 * 1024,
  aliasCount: 100,
  agentCount: 100,
  listLength: 200,
  ruleCount: 2_000,
  memoryMinMb: 16,
  sizeMaxMb: 1024 * 1024,
  nofileMin: 16,
  nofileMax: 1024 * 1024,
  nprocMin: 8,
  nprocMax: 64 * 1024,
  connectionsMax: 1_024,
  idleMaxS: 24 * 3600,
  hostLength: 300,
  cpuMaxS: 24 * 3600,
  approvalMaxS: 24 * 3600,
  notifyAfterMaxS: 3600,
  notifyEveryMaxS: 24 * 3600,
  notifyCount: 20,
} as const;
