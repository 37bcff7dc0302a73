/** A wallet ended without reporting whether it has sent the requested payment. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
}
