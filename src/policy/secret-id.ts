// Ids of secrets: the usual form, and the environment variable of each (docs/running.md, "Secrets"). Many ids have one variable, so a rule
// about a secret has to compare variables: an id that is written in another way would get around it (docs/spec/judging.md, J-33).

/** `runloop/<scope>/<name>`, as in the policy document. */
const USUAL = /^runloop\/[a-z0-9_-]+\/[a-z0-9_-]+$/

/** Grants of `x-rlp.env` names. */
const ENV_GRANT = /^env\/[A-Z_][A-Z0-9_]*$/

/** Other ids are used in real bundles, and they work. */
export function isUsualSecretId(id: string): boolean {
  return USUAL.test(id) || ENV_GRANT.test(id)
}

/**
 * The variable that passes a secret to a program and that is looked up on the host: `runloop/mail/smtp_api_key` is
 * `RUNLOOP_MAIL_SMTP_API_KEY`. Two ids can have one variable.
 */
export function secretEnvName(id: string): string {
  return capitals(id.replace(/[^A-Za-z0-9]/g, '_'))
}

/**
 * Every place in the environment that an id looks up, as a secret or as a granted variable of `x-rlp.env`. Two ids are one secret if they
 * share a place.
 */
export function secretPlaces(id: string): readonly string[] {
  const variable = /^env\/(.*)$/s.exec(id)?.[1]
  return [secretEnvName(id), ...(variable === undefined ? [] : [capitals(variable)])]
}

/** Of ASCII alone: `ſ` is not another `s`, whatever a table of Unicode says. */
function capitals(text: string): string {
  return text.replace(/[a-z]+/g, letters => letters.toUpperCase())
}
