/** A transaction of the wallet was mined and reverted. */
export class Reverted extends Error {
  override readonly name = 'Reverted';
}
