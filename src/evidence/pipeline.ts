// The environment of a pipeline → what it says of the build that runs in it. What it does not say is left out, never guessed.
import { own } from '../model/own.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Build {
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
