// The keys of the conformance kit (docs/spec/kit.md). Everybody can make their private halves, so a policy that names one trusts anybody.

const TEST_KEYS: ReadonlySet<string> = new Set([
  'ed25519:6IOVamFqliwbS9eN9T4UVMINDgTZF+sDhwUOu2nE+p4=',
  'ed25519:7rcn2JlWFhauOHYD4ET0e+6tUlxUs++qcZ2UuyOaNkg=',
  'ed25519:7vu6XNkyd3p7HZyhOmoQZt2C1IEh1fyQDnL+pmJ7wo4=',
  'ed25519:9DziUbkWF+eZCgLb62mqHuWB59L67zkSL055c3YlLTc=',
  'ed25519:IfoSTJnWWzDz6vO6xc+iqMm1V7M0ItzD0mJ19PG/iMg=',
  'ed25519:LXG3IqZLeAZnXLejGF+Fd9OafNNPLVbmpvFuTfMUdpQ=',
  'ed25519:Mu6deSY92ajfiqG8Wq1z/L8sn9yc0sMFd8Pg+1w5t2k=',
  'ed25519:O8O9CcN6PX/UtF3iiguOvWlNHcrby7Nj5mrHcBAG/Y4=',
  'ed25519:OxftvpwKgSiplw+VCKurDSFuOmZbrhutBE57fP5m/+c=',
  'ed25519:Q9WNTtGRY/JWhK6lISusnYPAZgJBPE6Q0s5X+sgRjSQ=',
  'ed25519:RDAmpVO5A0k7lM5cSdYbZIlhZEcrRnzc/GEcYiUwDyk=',
  'ed25519:RPEO0pTsqKxuyg48zLM7+yuFmXFoPtbkrPeNq5sdEzE=',
  'ed25519:S7eb7AHMDTw1PsV0WrxDWsyVCSBk440uTpIvsy0J3Vc=',
  'ed25519:SdsDIWfLQm54s10wHHiHDZ75lSXovxOWNTEJ60+AkXo=',
  'ed25519:Tj6TCDJwGcBxN91X/BaA1eoeSuJ5BT9yuMnzzNnndDs=',
  'ed25519:ZS9+1d8QYtQZnryF2HMj5W4JzsQIlPbBWBiaGAKnoyk=',
  'ed25519:aPWmKv8qpLhl29MRuYyWcNufkdLPCBhnx2VPA+2BWyA=',
  'ed25519:bHd6WZbu9bLWF4FQX7QclLNHeg+LqI9WIHWU2wFHa/U=',
  'ed25519:gAmPDoRC2kJpSLUi3+z37U3DIt5fN/2sIswLkCbCcS4=',
  'ed25519:k41lIXYvuVM6cQe0yL02FTsPdMjgIeQ53LOKDPl7XD4=',
  'ed25519:muitkcQHAYmj1dbD7AbCanD29ZpXS6oITMa1ZztaO8g=',
  'ed25519:pwhujF7sOEqP0I2zGwe/59bcvoZmgBWVO9RWuMRTGAc=',
  'ed25519:q6vSbf6kRTanHbDPCB40dlA1nRYqYkWz7S61/t8BGog=',
  'ed25519:rvfPOHwPqkkP7SOjr5AJgKf9uXuqCanV7wCHQfSEqRQ=',
  'ed25519:sA8q9EV2FuCS01VUr0OHlxbZ5qlpRlm+bEBZPhOFktw=',
  'ed25519:ww4l1Cn7pmw6bkwo5hl/HL0v7+jLQAC4gmnHTcKkzuA=',
  'ed25519:ykt9otc6kroshmgM/V1MG+KkUT2iaoN4jRbPEUut+bU=',
])

/** @param anchor an anchor string in its one spelling */
export function isTestKey(anchor: string): boolean {
  return TEST_KEYS.has(anchor)
}
