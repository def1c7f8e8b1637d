// One tool → its Agent Tool profiles, which say how it is run and what it may touch, unless interfaces.json has them.
import type { RecordObject } from '../../../agent-tool/records.ts'
import { askingIn } from '../../../agent-tool/tool-records.ts'
import { needsOf } from '../../../policy/needs.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { PreparedTool } from '../exporter.ts'
import { SCHEMA_VERSION } from './words.ts'

/** Fields of a permission profile that are inferred: the risk is not stated, so it is high. */
export const RISK = ['risk_level', 'access_kinds']

export function executionOf({ tool }: PreparedTool, id: unknown): RecordObject {
  const { timeoutMs } = tool.rlp
  return {
    schema_version: SCHEMA_VERSION,
    execution_profile_id: id,
    execution_kind: transportKind(tool.transport).record.execution,
    // 0 is no limit.
    ...(timeoutMs !== undefined && timeoutMs > 0 && { timeout_ms: timeoutMs }),
  }
}

/** The known profile, if there is one. Its confirmation also follows tools.json. */
export function permissionOf({ tool, records }: PreparedTool, id: unknown): RecordObject {
  const { access, reaches } = transportKind(tool.transport).record
  const hasSecrets = tool.secrets.length > 0
  const record = records.permission ?? {
    schema_version: SCHEMA_VERSION,
    permission_profile_id: id,
    risk_level: 'high',
    access_kinds: [access, ...(hasSecrets ? ['credential'] : [])],
    ...(reaches.includes('network') && { network_scope: networkScope({ tool }) }),
    ...(hasSecrets && { credential_refs: tool.secrets }),
    annotations: { inferred: RISK },
  }
  const isAsked = askingIn(records)?.field === 'approval_required'
  return { ...record, approval_required: tool.requiresConfirmation || isAsked }
}

/** Every host that the tool may reach, as in capability strings. */
function networkScope({ tool }: Pick<PreparedTool, 'tool'>): string {
  const hosts = needsOf(tool).flatMap(({ capability }) =>
    capability.startsWith('net:') ? capability.slice('net:'.length) : [],
  )
  // A host without port includes its usual port.
  const told = hosts.filter(host => !hosts.includes(host.replace(/:[0-9]+$/, '')) || !/:[0-9]+$/.test(host))
  return [...new Set(told)].join(' ')
}
