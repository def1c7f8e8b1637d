// States who built a bundle, as SLSA provenance, version 1 (docs/evidence.md). The facts come from the person, then from the environment
// of the pipeline. A fact that neither gives is left out, never guessed.
import { hash } from 'node:crypto'
import type { Target } from '../io/find/search-folders.ts'
import { programDigest } from '../io/process/program-digest.ts'
import type { Setting } from '../io/setting.ts'
import { type Agent, SIGNATURE_FILE } from '../model/agent.ts'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { AttestationFile } from '../sign/attestation-file.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import {
  type Attested,
  type Attesting,
  type SigningGiven,
  type SignStated,
  type StatedAbout,
  toAttest,
} from './attest.ts'
import { readSoundHere, type SoundHow } from './verified.ts'

/** What the parameters mean is in docs/evidence.md. */
const BUILD_TYPE = 'urn:runloop:agent-bundle:build:v1'

interface BuildFacts extends Build {
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

type Environment = Readonly<Record<string, string | undefined>>

interface Build {
  /** The id of who runs the build: a URI. */
  readonly builder: string | undefined
  /** The repository: a URI. */
  readonly source: string | undefined
  /** The commit. */
  readonly revision: string | undefined
  /** `refs/heads/main`. */
  readonly ref: string | undefined
  readonly job: string | undefined
  /** The page of this run. */
  readonly run: string | undefined
}

interface Pipeline {
  /** The variable that says it runs. */
  readonly variable: string
  build(say: (name: string) => string | undefined): Build
}

const GITHUB: Pipeline = {
  variable: 'GITHUB_ACTIONS',
  build(say) {
    const server = say('GITHUB_SERVER_URL')
    const repository = joined(server, '/', say('GITHUB_REPOSITORY'))
    const run = joined(repository, '/actions/runs/', say('GITHUB_RUN_ID'))
    return {
      // The workflow, not the machine: a machine builds for everybody.
      builder: joined(server, '/', say('GITHUB_WORKFLOW_REF')),
      source: repository,
      revision: say('GITHUB_SHA'),
      ref: say('GITHUB_REF'),
      job: say('GITHUB_JOB'),
      run: joined(run, '/attempts/', say('GITHUB_RUN_ATTEMPT')) ?? run,
    }
  },
}

const GITLAB: Pipeline = {
  variable: 'GITLAB_CI',
  build(say) {
    const source = say('CI_PROJECT_URL')
    return {
      builder: joined(source, '/-/runners/', say('CI_RUNNER_ID')),
      source,
      revision: say('CI_COMMIT_SHA'),
      ref:
        joined('refs/tags', '/', say('CI_COMMIT_TAG')) ?? joined('refs/heads', '/', say('CI_COMMIT_BRANCH')),
      job: say('CI_JOB_NAME'),
      run: say('CI_JOB_URL'),
    }
  },
}

const PIPELINES: readonly Pipeline[] = [GITHUB, GITLAB]
const NOTHING = {
  builder: undefined,
  source: undefined,
  revision: undefined,
  ref: undefined,
  job: undefined,
  run: undefined,
}
const MOST_CHARACTERS = 2000

export function buildIn(env: Environment): Build {
  const say = (name: string) => {
    const value = own(env, name)
    return value === undefined || value === '' || value.length > MOST_CHARACTERS ? undefined : value
  }
  const found = PIPELINES.filter(({ variable }) => say(variable) === 'true')
  // One that runs inside another: which of the two builds is not known.
  return found.length === 1 ? (found[0]?.build(say) ?? NOTHING) : NOTHING
}

/** Undefined if a part is not known. */
function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.every(part => part !== undefined) ? parts.join('') : undefined
}

export interface StatedProvenance extends StatedAbout {
  /** SLSA provenance, version 1. */
  readonly provenance: Provenance
}

/** @throws RlpError NOT_VERIFIED for a bundle that is not sound, or not as the lock pins it; as reading and signing do */
export async function stateProvenance(
  target: Target,
  facts: BuildFacts,
  how: Pick<SoundHow, 'locks' | 'unsigned'>,
  sign: SignStated,
  io: Setting,
): Promise<StatedProvenance> {
  const { agent, about } = await readSoundHere(target, io, how)
  const provenance = provenanceOf(agent, facts)
  return { provenance, ...(await sign({ name: 'provenance', about, predicate: provenance, target })) }
}

/** What is known before anything is packed: who builds, who signs, and where the statement goes. */
export interface Stating {
  readonly facts: BuildFacts
  readonly attesting: Attesting
  /** Whether an identity signs. */
  readonly isKeyless: boolean
  /** In place of the file beside each bundle. */
  readonly file: AttestationFile | undefined
}

/** Who builds, and who signs that, as a caller of the library names them. */
export interface StatingGiven extends BuildStated, SigningGiven {}

export interface StatedBuild {
  /** SLSA provenance, version 1. */
  readonly provenance: Provenance
  /** Where it was signed. */
  readonly attested: Attested
}

/**
 * @param temporary where the bundle is until it takes its place
 * @throws RlpError as reading, signing and writing do; then the bundle must not take its place
 */
export async function stateBuilt(
  temporary: string,
  bundle: Target,
  { facts, attesting, isKeyless, file }: Stating,
  io: Setting,
): Promise<StatedBuild> {
  const { agent, about } = await readSoundHere({ path: temporary, label: bundle.label }, io, {
    named: bundle.path,
    unsigned: isKeyless,
  })
  const provenance = provenanceOf(agent, facts)
  const beside = { path: besideBundle(bundle.path), label: besideBundle(bundle.label) }
  const stated = toAttest('provenance', about, provenance, bundle.label)
  return { provenance, attested: await attesting.attest(stated, file ?? beside, io) }
}
