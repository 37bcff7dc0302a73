/** A wallet ended without saying whether it has sent the payment that it was asked to send. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
}
