// A report, or the reason why the bundle was not judged → the answer of the gate. Only one verdict allows.
import type { CodeOf } from '../model/reason-codes.ts'
import type { Reason, Report, Step } from '../model/report.ts'
import type { Verdict } from '../model/verdict.ts'
import type { QuestionId } from './question.ts'

/** One line. The members are always the same ones. */
export interface GateAnswer {
  readonly id: QuestionId
  readonly allow: boolean
  readonly verdict: Verdict
  readonly reasons: readonly Reason[]
  /** Of the bytes that were judged, as they are stored. Null unless their form is sound and all of them were read. */
  readonly sha256: string | null
  /** `blake3:…` of manifest.toml. Null unless the form is sound and this is a manifest. */
  readonly identity: string | null
  readonly agent: { readonly name: string; readonly version: string; readonly variant?: string } | null
}

/** A stranger decides how many files are wrong; `rlp agent verify` lists all of them. */
const MOST_REASONS = 20

export function answerOf(id: QuestionId, report: Report, sha256: string | undefined): GateAnswer {
  const { verdict, reasons, identity, agent, form, checks } = report
  // Digests of any other file would let the asker guess what is in files that the gate may read.
  const passed = (one: Step) => checks.some(({ step, result }) => step === one && result === 'passed')
  const isSound = passed('archive')
  const judged = {
    id,
    sha256: (isSound ? sha256 : undefined) ?? null,
    identity: isSound && passed('manifest') ? identity : null,
    agent: agent && {
      name: agent.name,
      version: agent.version,
      ...(agent.variant !== undefined && { variant: agent.variant }),
    },
  }
  // What the asker cannot name by its bytes may be other bytes when it is used.
  if (verdict === 'trusted' && sha256 === undefined) return { ...answer(id, [noBytes(form)]), ...judged }
  const { id: _, allow: __, ...rest } = { ...answer(id, fewer(reasons), verdict), ...judged }
  return { id, allow: verdict === 'trusted', ...rest }
}

/** No verdict was reached. */
export function noVerdict(
  id: QuestionId,
  code: CodeOf<'indeterminate'>,
  message: string,
  hint?: string,
): GateAnswer {
  return answer(id, [{ code, message, ...(hint !== undefined && { hint }) }])
}

function answer(id: QuestionId, reasons: readonly Reason[], verdict: Verdict = 'indeterminate'): GateAnswer {
  return { id, allow: false, verdict, reasons, sha256: null, identity: null, agent: null }
}

function noBytes(form: Report['form']): Reason {
  return {
    code: 'no_bytes',
    message:
      form === 'directory'
        ? 'An unpacked bundle has no bytes that the answer could name, and can change after it was judged'
        : 'Not all bytes of the bundle were seen',
    hint: 'Ask about the file that rlp agent pack has made',
  }
}

function fewer(reasons: readonly Reason[]): readonly Reason[] {
  if (reasons.length <= MOST_REASONS) return reasons
  const left = reasons.length - MOST_REASONS
  return [...reasons.slice(0, MOST_REASONS), { code: 'more', message: `… and ${left} more` }]
}
