// What a person states of a build, and what the pipeline says → the facts of a provenance. What is stated goes first.
import { programDigest } from '../io/process/program-digest.ts'
import { UsageError } from '../model/error.ts'
import { buildIn } from './pipeline.ts'
import type { BuildFacts } from './provenance.ts'

export interface BuildStated {
  /** The id of who builds, a URI; as the pipeline says where this is left out. */
  readonly builder?: string | undefined
  /** The repository, a URI; as the pipeline says where this is left out. */
  readonly source?: string | undefined
  /** The commit; as the pipeline says where this is left out. */
  readonly revision?: string | undefined
}

/** @throws UsageError without a builder, and for what is no URI */
export async function buildFacts(
  { builder, source, revision }: BuildStated,
  env: Readonly<Record<string, string | undefined>>,
  time: string | undefined,
): Promise<BuildFacts> {
  const said = buildIn(env)
  const who = builder ?? said.builder
  if (who === undefined)
    throw new UsageError('Cannot state who built it: the builder is not known', {
      field: 'builder',
      hint: 'Name it with --builder, a URI. In GitHub Actions and GitLab CI it is taken from the environment',
    })
  const from = source ?? said.source
  refuseNoUri('builder', who)
  if (from !== undefined) refuseNoUri('source', from)
  return {
    ...said,
    builder: who,
    source: from,
    revision: revision ?? said.revision,
    program: await programDigest(),
    time,
  }
}

export function refuseNoUri(field: string, text: string): void {
  if (URL.canParse(text)) return
  throw new UsageError(`Cannot use "${text}" as ${field}: it is no URI`, {
    field,
    hint: 'Write it with its scheme, as https://ci.example/builders/1',
  })
}
