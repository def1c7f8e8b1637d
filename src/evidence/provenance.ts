// A sound bundle and what is known of its build → a SLSA provenance, version 1 (docs/evidence.md). Pure, and without a clock.
import { hash } from 'node:crypto'
import { type Agent, SIGNATURE_FILE } from '../model/agent.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { Build } from './pipeline.ts'

/** What the parameters mean is in docs/evidence.md. */
const BUILD_TYPE = 'urn:runloop:agent-bundle:build:v1'

export interface BuildFacts extends Build {
  readonly builder: string
  /** sha256 of this program; undefined if it is not known. */
  readonly program: string | undefined
  /** A UTC second. */
  readonly time: string | undefined
}

/** A predicate whose members are in the order in which they are written. */
export type Provenance = Readonly<Record<string, unknown>>

export function provenanceOf(agent: Agent, facts: BuildFacts): Provenance {
  const { builder, source, revision, ref, job, run, program, time } = facts
  const isCommit = revision !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision)
  const repository = source !== undefined && {
    uri: source,
    ...(isCommit && { digest: { gitCommit: revision } }),
  }
  const rlp = {
    name: 'rlp',
    uri: `pkg:npm/rlp-bundle@${VERSION}`,
    ...(program && { digest: { sha256: program } }),
  }
  const metadata = {
    ...(run !== undefined && { invocationId: run }),
    ...(time !== undefined && { finishedOn: time }),
  }
  return {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: {
        ...(source !== undefined && { source }),
        ...(revision !== undefined && { revision }),
        ...(ref !== undefined && { ref }),
        ...(job !== undefined && { job }),
      },
      resolvedDependencies: [...(repository === false ? [] : [repository]), ...packedFiles(agent), rlp],
    },
    runDetails: {
      builder: { id: builder, version: { rlp: VERSION } },
      ...(Object.keys(metadata).length > 0 && { metadata }),
    },
  }
}

/** The sources, as they were packed: each file of the bundle but its signatures. */
function packedFiles({ files }: Agent) {
  return files.list
    .filter(({ path }) => path !== SIGNATURE_FILE)
    .map(({ path, digest, content }) => {
      if (content === undefined || digest === undefined)
        throw new TypeError('the content of this entry was not kept')
      return { name: path, digest: { sha256: hash('sha256', content, 'hex'), blake3: digest } }
    })
}
