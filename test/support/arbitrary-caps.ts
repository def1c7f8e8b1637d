// Policies, tools and overrides over a vocabulary so small that they meet all the time, for property tests.
import fc from 'fast-check'
import type { PolicyOverride } from '../../src/model/override.ts'
import type { Policy } from '../../src/model/policy.ts'
import type { Tool } from '../../src/model/tools.ts'
import { withGrants } from '../../src/policy/containment.ts'
import type { Grant } from '../../src/policy/families/family.ts'
import { overrideValue, readOverride } from '../../src/policy/override.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'

export const TOOL: Tool = {
  id: 'x',
  description: 'Does something.',
  transport: { kind: 'exec', command: '/bin/x', args: [] },
  inputSchema: true,
  resultSchema: true,
  schemaRefs: {},
  capabilities: [],
  secrets: [],
  budget: undefined,
  requiresConfirmation: true,
  tags: [],
  rlp: { stdin: false, timeoutMs: undefined, env: [] },
}

const HOSTS = ['a.example', 'A.example', 'b.example', 'münchen.example', '[::1]', '10.0.0.1']
const host = fc
  .tuple(fc.constantFrom(...HOSTS), fc.constantFrom('', ':443', ':80', ':8443'))
  .map(([name, port]) => name + port)
const folder = fc.constantFrom('/', '/data', '/data/', '/data/sub', '~/', '~/notes', '/data/../etc', '/')
const name = fc.constantFrom('x', 'y', 'runloop/a/b', 'env/HOME_PAGE')
const program = fc.constantFrom('/bin/x', '/bin/y')

/** One grant, sometimes one that grants nothing. */
export const grantArbitrary: fc.Arbitrary<Grant> = fc
  .oneof(
    fc.record({ key: fc.constantFrom('time', 'model'), entry: fc.constant(true as const) }),
    fc.record({ key: fc.constant('net'), entry: fc.oneof(host, fc.constant('*.example')) }),
    fc.record({ key: fc.constantFrom('fs', 'fs_ro', 'fs_rw'), entry: folder }),
    fc.record({
      key: fc.constantFrom('kb_read', 'kb_write'),
      entry: fc.oneof(name, fc.constant(true as const)),
    }),
    fc.record({ key: fc.constant('secrets'), entry: name }),
    fc.record({ key: fc.constant('exec'), entry: fc.oneof(program, fc.constant(true as const)) }),
  )
  .chain(({ key, entry }) => fc.boolean().map(allowHttp => ({ key, entry, allowHttp, same: '' }) as Grant))

export const grantsArbitrary = fc.array(grantArbitrary, { maxLength: 8 })

export function policyOf(grants: readonly Grant[]): Policy {
  return withGrants(NO_GRANTS, grants)
}

const capability = fc.oneof(
  fc.constantFrom('time', 'model', 'exec', 'kb_read', 'fs', 'net', 'secrets', 'nonsense', ''),
  host.map(scope => `net:${scope}`),
  fc.tuple(fc.constantFrom('fs', 'fs_ro', 'fs_rw'), folder).map(([family, scope]) => `${family}:${scope}`),
  fc
    .tuple(fc.constantFrom('kb_read', 'kb_write', 'secrets'), name)
    .map(([family, scope]) => `${family}:${scope}`),
  fc.constantFrom('kb_read.x', 'kb_write.y'),
  program.map(scope => `exec:${scope}`),
)

const url = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom('a.example', 'b.example', '[::1]', 'A.example'),
    fc.constantFrom('', ':443', ':80', ':8443'),
  )
  .map(([scheme, name, port]) => `${scheme}://${name}${port}/{{input.x}}`)

export const toolArbitrary: fc.Arbitrary<Tool> = fc
  .record({
    capabilities: fc.array(capability, { maxLength: 4 }),
    secrets: fc.array(name, { maxLength: 2 }),
    env: fc.array(fc.constantFrom('TZ', 'HOME_PAGE', 'LC_ALL'), { maxLength: 2 }),
    transport: fc.oneof(
      program.map(command => ({ kind: 'exec' as const, command, args: [] })),
      url.map(url => ({ kind: 'http' as const, method: 'GET', url, headers: {} })),
    ),
  })
  .map(({ env, ...rest }) => ({ ...TOOL, ...rest, rlp: { ...TOOL.rlp, env } }))

const list = <T>(entry: fc.Arbitrary<T>) => fc.array(entry, { maxLength: 4 })

/** What an override file says, as its parsed value; a key that is absent is not spoken of. */
export const overrideArbitrary: fc.Arbitrary<PolicyOverride> = fc
  .record(
    {
      fs: fc.oneof(list(folder), fc.constant(false)),
      fs_ro: list(folder),
      fs_rw: list(folder),
      net: fc.oneof(
        list(host),
        fc.constant(false),
        fc.record({ hosts: list(host), allow_http: fc.boolean() }, { requiredKeys: [] }),
      ),
      time: fc.boolean(),
      model: fc.boolean(),
      kb_read: fc.oneof(fc.boolean(), list(name)),
      kb_write: fc.oneof(fc.boolean(), list(name)),
      secrets: fc.oneof(list(name), fc.constant(false)),
      exec: fc.oneof(fc.boolean(), list(program)),
    },
    { requiredKeys: [] },
  )
  .map(capabilities => readOverride(overrideValue({ capabilities })))
