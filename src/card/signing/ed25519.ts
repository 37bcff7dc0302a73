import { createPublicKey, verify } from 'node:crypto';

/** Whether the holder of a public key of 32 bytes signed these bytes (RFC 8032). */
export function isSignedByEd25519(request: {
  publicKey: Uint8Array;
  message: Uint8Array;
  signature: Uint8Array;
}): boolean {
  if (request.publicKey.length !== 32 || request.signature.length !== 64) return false;
  const x = Buffer.from(request.publicKey).toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, request.message, key, request.signature);
  } catch {
    return false;
  }
}
