/**
 * The SPIFFE identity of a Kubernetes-style service account. `@` in a trust domain is written as `.`
 * (Istio `pkg/spiffe/spiffe.go`, sanitizeTrustDomain).
 */
export function spiffeId(trustDomain: string, namespace: string, serviceAccount: string): string {
  return `spiffe://${trustDomain.replaceAll('@', '.')}/ns/${namespace}/sa/${serviceAccount}`;
}
