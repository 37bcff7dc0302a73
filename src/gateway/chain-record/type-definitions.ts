/** The record's own graph, and what it adds to types of the core. */

const FIRST = 'Rows from the beginning, 1 to 100; 20 without it.';

export const recordTypes = `
scalar Address
scalar BaseUnits
scalar DateTime
scalar JSONObject

type Query {
  """
  Every event that the indexer's tables hold, newest first, and those that a reorganization took: events of the escrow, and of tokens the approvals of it and the transfers to it. For operators. Events on Solana, and ERC-3009 authorizations, are in the gateway's inbox only: the chainEvents of their payment list them. CHAIN_UNAVAILABLE while the record cannot be read, or is too old on any of the chains that are asked about.
  """
  escrowEvents(
    "All that are given must hold."
    filter: EscrowEventsFilter
    "${FIRST}"
    first: Int
    "The endCursor of the page before; older events follow."
    after: String
  ): ChainEventConnection
  """
  Where the indexer's tables and the gateway's inbox differ on one chain, among the blocks that both have read; empty while all is well. For operators. CHAIN_UNAVAILABLE while the record cannot be read or is too old.
  """
  chainRecordDifferences(
    "The chain, one with an escrow contract of the EVM."
    chainId: Int!
    "The first block to compare, an integer string; 99,999 blocks below the last one where it is left out. At most 100,000 blocks are compared: a longer span is refused, or begins later, as the answer's fromBlock says, where toBlock is left out."
    fromBlock: String
    "The last block to compare, an integer string; the last that both have read where it is left out or above that."
    toBlock: String
    "${FIRST}"
    first: Int
  ): ChainRecordComparison
}

"Which of the recorded events."
input EscrowEventsFilter {
  "On this chain."
  chainId: Int
  "In this transaction."
  txHash: String
  "Of the payment with this id: the hash of its terms."
  termsHash: String
  "With one of these names, such as Authorized or Approval; at most 20."
  names: [String!]
}

"An event of a chain: what the indexer saw, beside what the gateway accepted of it."
type ChainEvent {
  "The chain."
  chainId: Int!
  "The block's height, an integer string."
  blockNumber: String!
  "The block's hash; on Solana that of the slot's block, where one was told."
  blockHash: String!
  "The block's time."
  occurredAt: DateTime!
  "The transaction."
  txHash: String!
  "Its place in the block."
  logIndex: Int!
  "The contract that emitted it."
  address: Address!
  "Its name, such as Authorized, Captured, Approval, Transfer or AuthorizationUsed."
  name: String!
  "The id of the payment that it names; null for an event that names none."
  termsHash: String
  "Its decoded arguments, integers as strings."
  args: JSONObject!
  "Whether the indexer's tables hold it now. They drop what a reorganization took, and never hold events on Solana and ERC-3009 authorizations, which the gateway reads elsewhere."
  indexed: Boolean!
  "Whether the gateway's inbox holds it. What is not received is not accepted."
  received: Boolean!
  "How sure it is."
  finality: ChainEventFinality!
  "What the gateway did with it."
  acceptance: ChainEventAcceptance!
  "Why it is not accepted, in a sentence; null where it is."
  reason: String
}

"How sure an event of a chain is."
enum ChainEventFinality {
  "In a block."
  SEEN
  "Its block has the confirmations that the chain requires."
  CONFIRMED
  "Under the chain's own finality."
  FINAL
  "Its block is no longer part of the chain."
  ORPHANED
}

"What the gateway did with an event of a chain."
enum ChainEventAcceptance {
  "It was applied: payments, wallets and subscriptions are as they are because of it, where it concerns any."
  ACCEPTED
  "It was applied to a payment that does not count for its intent, because another one was accepted first, or the intent was cancelled: it is recorded in the transactions, and the money goes back to the payer."
  NOT_COUNTED
  "It names terms that this gateway did not sign for the chain, or a consent that it does not hold. Anybody can emit such events; they change nothing."
  UNKNOWN_TERMS
  "Only the indexer holds it: the gateway has not read that far, or its node had another block at that height."
  NOT_RECEIVED
  "Its block has too few confirmations."
  WAITING_FOR_CONFIRMATIONS
  "It is confirmed and not applied yet: the events of its payment and the contract's state do not agree so far, or the chain is halted."
  WAITING_TO_BE_APPLIED
  "A reorganization took its block; what was applied of it is taken back."
  ORPHANED
}

"A window of events."
type ChainEventConnection {
  "The events of this window, each with its cursor."
  edges: [ChainEventEdge!]!
  "The events of this window."
  nodes: [ChainEvent!]!
  "Where this window lies in the list."
  pageInfo: PageInfo!
  "All events of the list, whatever the window."
  totalCount: Int!
}

"An event in a window."
type ChainEventEdge {
  "The place of the event, for \`after\`."
  cursor: String!
  "The event."
  node: ChainEvent!
}

"Where a window lies in its list."
type PageInfo {
  "The cursor of the last row; null where there is none."
  endCursor: String
  "Whether rows follow this window."
  hasNextPage: Boolean!
  "Whether rows lie before this window."
  hasPreviousPage: Boolean!
  "The cursor of the first row; null where there is none."
  startCursor: String
}

"A comparison of the two records of a chain."
type ChainRecordComparison {
  "The chain."
  chainId: Int!
  "The first block that was compared, an integer string."
  fromBlock: String!
  "The last block that was compared, an integer string; below the first where the records have no such block in common."
  toBlock: String!
  "The last block that the indexer has read, an integer string."
  indexedTo: String!
  "The last block that the gateway's inbox was filled to, an integer string."
  receivedTo: String!
  "The differences, in the order of the chain."
  differences: [ChainRecordDifference!]!
  "All differences in these blocks, whether they are listed or not."
  totalCount: Int!
  "Whether there are more than are listed."
  hasMore: Boolean!
}

"An event on which the two records differ."
type ChainRecordDifference {
  "In what they differ."
  kind: ChainRecordDifferenceKind!
  "The event, as the inbox has it where both do."
  event: ChainEvent!
}

"In what the two records of an event differ."
enum ChainRecordDifferenceKind {
  "Only the indexer holds it, though the gateway has read its block: another block stood there when it did, or the event was lost. \`npm run ops -- chain resync\` reads the chain again."
  NOT_RECEIVED
  "Only the inbox holds it, though the indexer has read its block: the gateway read the node itself, or a receipt showed it."
  NOT_INDEXED
  "The indexer still holds what the gateway has taken back: its node is on another fork, or lags."
  ORPHANED_YET_INDEXED
  "Both hold it, with another name, transaction, payment, contract or other arguments."
  CONTENT
}

"What a wallet lets the escrow take of one token, by the last approval that the indexer's record holds."
type RecordedAllowance {
  "The token's contract."
  tokenAddress: Address!
  "The token; null where it is no longer registered."
  tokenKey: String
  "Base units, as that approval set it; 0 where it revoked. What the escrow has taken since lowers the allowance, and most tokens emit no event for that, so the token may allow less."
  amount: BaseUnits!
  "When it was given: the block's time."
  approvedAt: DateTime!
  "The block's height, an integer string."
  blockNumber: String!
  "The block's hash."
  blockHash: String!
  "The transaction. A payment by a permit sets the allowance in its own transaction."
  txHash: String!
  "Its place in the block."
  logIndex: Int!
  "How sure the approval is."
  finality: ChainEventFinality!
}
`;

const UNAVAILABLE =
  "Null with the error CHAIN_UNAVAILABLE while the indexer's record cannot be read or is too old; all other fields answer.";

export const joinedFields = `
extend type PaymentIntent {
  """
  What the chains say of it, oldest first: the events of all terms that were signed for it, its payer's token events in the same transactions (a permit's Approval, the Transfer into escrow, the AuthorizationUsed of ERC-3009), and events that only name the intent, whoever made their terms. Each says whether the gateway accepted it, or why not. For the merchant. ${UNAVAILABLE}
  """
  chainEvents(
    "${FIRST}"
    first: Int
    "The endCursor of the page before."
    after: String
  ): ChainEventConnection
}

extend type Transaction {
  """
  The events in it that are of its payment, oldest first, in every block that it was mined in. For the merchant. ${UNAVAILABLE}
  """
  chainEvents(
    "${FIRST}"
    first: Int
    "The endCursor of the page before."
    after: String
  ): ChainEventConnection
}

extend type CustomerWallet {
  """
  What it lets the escrow take, by token, as the indexer's record has it; empty where it never approved. For the merchant. ${UNAVAILABLE}
  """
  recordedAllowances: [RecordedAllowance!]
}
`;
