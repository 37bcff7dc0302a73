/** The record's own types, and the fields that it adds to types of the core. */

const FIRST = 'Number of events to return, from 1 to 100. Defaults to 20.';
const AFTER = "Returns the events that follow this cursor, the previous page's endCursor.";

export const recordTypes = `
scalar Address
scalar BaseUnits
scalar DateTime
scalar JSONObject

type Query {
  """
  Lists indexed events, newest first, including events removed by a reorganization: all events of the escrow contract, token approvals that name it as spender, and token transfers to it. Operators only. Excludes Solana events and ERC-3009 authorizations, which the indexer does not read; the payment's chainEvents include them. Null with the error CHAIN_UNAVAILABLE if the record of any of the requested chains cannot be read or is out of date.
  """
  escrowEvents(
    "Returns only the events that match every given condition."
    filter: EscrowEventsFilter
    "${FIRST}"
    first: Int
    "Returns the events older than this cursor, the previous page's endCursor."
    after: String
  ): ChainEventConnection
  """
  Compares the indexer's record of a chain with the gateway's own, over the blocks that both have read. Returns no differences if the two records agree. Operators only. Null with the error CHAIN_UNAVAILABLE if the record cannot be read or is out of date.
  """
  chainRecordDifferences(
    "ID of an EVM chain with an escrow contract."
    chainId: Int!
    "First block to compare, as an integer string. Defaults to the block 99,999 below the last one. A comparison covers at most 100,000 blocks: a longer range is refused. If you omit toBlock, the comparison may begin at a later block, which the result's fromBlock contains."
    fromBlock: String
    "Last block to compare, as an integer string. Defaults to the last block that both records cover, which is also its maximum."
    toBlock: String
    "Number of differences to return, from 1 to 100. Defaults to 20."
    first: Int
  ): ChainRecordComparison
}

"Conditions for listing escrow events."
input EscrowEventsFilter {
  "ID of the chain on which the event was emitted."
  chainId: Int
  "Hash of the transaction that emitted the event: 0x and 64 hex digits, or a Solana signature."
  txHash: String
  "Hash of the payment terms that the event names: 0x and 64 hex digits."
  termsHash: String
  "Names of events, such as Authorized or Approval. At most 20."
  names: [String!]
}

"An on-chain event, with what the indexer recorded and what the gateway did with it."
type ChainEvent {
  "ID of the chain on which the event was emitted."
  chainId: Int!
  "Number of the block that contains the event, as an integer string. On Solana, the slot."
  blockNumber: String!
  "Hash of the block; on Solana, the blockhash of the slot."
  blockHash: String!
  "Timestamp of the block."
  occurredAt: DateTime!
  "Hash of the transaction that emitted the event; on Solana, its signature."
  txHash: String!
  "Zero-based index of the log in its block. On Solana, a stable number derived from the transaction."
  logIndex: Int!
  "Address of the contract that emitted the event."
  address: Address!
  "Name of the event, such as Authorized, Captured, Approval, Transfer, or AuthorizationUsed."
  name: String!
  "Hash of the payment terms that the event names. Null if it names none."
  termsHash: String
  "Decoded arguments of the event. Integers are strings."
  args: JSONObject!
  "Whether the indexer currently has the event. The indexer drops events that a reorganization removes, and never has Solana events or ERC-3009 authorizations, which the gateway reads by other means."
  indexed: Boolean!
  "Whether the gateway has received the event. The gateway accepts only events that it has received."
  received: Boolean!
  "Finality of the block that contains the event."
  finality: ChainEventFinality!
  "What the gateway did with the event."
  acceptance: ChainEventAcceptance!
  "Explanation of why the event is not accepted. Null if it is accepted."
  reason: String
}

"Finality of a block."
enum ChainEventFinality {
  "The block is in the chain but does not have the required confirmations yet."
  SEEN
  "The block has the number of confirmations that the gateway requires on the chain."
  CONFIRMED
  "The block is final by the chain's own rules."
  FINAL
  "A reorganization removed the block from the chain."
  ORPHANED
}

"What the gateway did with an on-chain event."
enum ChainEventAcceptance {
  "The gateway applied the event to the payment, wallet, or subscription that it concerns, if any."
  ACCEPTED
  "The gateway applied the event to a payment that does not count for its payment intent, because another payment was accepted first or the intent was cancelled. The payment appears in the intent's transactions, and its funds are returned to the payer."
  NOT_COUNTED
  "The event names terms that this gateway did not sign for the chain, or a consent that it does not have. Anyone can emit such events; they change nothing."
  UNKNOWN_TERMS
  "Only the indexer has the event. The gateway has not read the block yet, or its node had another block at that height."
  NOT_RECEIVED
  "The event's block does not have the required confirmations yet."
  WAITING_FOR_CONFIRMATIONS
  "The event is confirmed but not applied yet. The events of its payment do not agree with the state of the contract yet, or the chain is halted."
  WAITING_TO_BE_APPLIED
  "A reorganization removed the event's block. The gateway reverts whatever it applied."
  ORPHANED
}

"A page of on-chain events."
type ChainEventConnection {
  "The events on this page, each with its cursor."
  edges: [ChainEventEdge!]!
  "The events on this page."
  nodes: [ChainEvent!]!
  "The position of this page in the list."
  pageInfo: PageInfo!
  "Number of events in the list, regardless of the page. For escrowEvents, at most 100000."
  totalCount: Int!
}

"An on-chain event on a page."
type ChainEventEdge {
  "Cursor of the event, to pass as \`after\`."
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

"A comparison of the indexer's record of a chain with the gateway's own."
type ChainRecordComparison {
  "ID of the chain."
  chainId: Int!
  "First block of the comparison, as an integer string."
  fromBlock: String!
  "Last block of the comparison, as an integer string. Lower than fromBlock if the two records have no block of the requested range in common."
  toBlock: String!
  "Last block that the indexer has read, as an integer string."
  indexedTo: String!
  "Last block whose events the gateway has received, as an integer string."
  receivedTo: String!
  "The differences, oldest first."
  differences: [ChainRecordDifference!]!
  "Number of differences in these blocks, including those that are not listed."
  totalCount: Int!
  "Whether there are more differences than those listed."
  hasMore: Boolean!
}

"An event on which the two records differ."
type ChainRecordDifference {
  "The kind of difference."
  kind: ChainRecordDifferenceKind!
  "The event. If both records have it, as the gateway received it."
  event: ChainEvent!
}

"The kind of a difference between the two records of an event."
enum ChainRecordDifferenceKind {
  "Only the indexer has the event, although the gateway has read its block: the gateway's node had another block at that height, or the event was lost. Run \`npm run ops -- chain resync\` to read the chain again."
  NOT_RECEIVED
  "Only the gateway has the event, although the indexer has read its block: the gateway read it from the node or from a receipt."
  NOT_INDEXED
  "The indexer still has an event that the gateway treats as removed by a reorganization: the indexer's node is on another fork or is behind."
  ORPHANED_YET_INDEXED
  "Both records have the event, but they differ in its name, transaction, payment, contract, or arguments."
  CONTENT
}

"A token allowance that a wallet has granted to the escrow contract, according to the latest indexed approval."
type RecordedAllowance {
  "Address of the token contract."
  tokenAddress: Address!
  "Key of the token. Null if the token is no longer registered."
  tokenKey: String
  "Allowance in base units, as the approval set it; 0 if the approval revoked it. The current allowance may be lower: each payment reduces it, and most tokens emit no event for that."
  amount: BaseUnits!
  "Timestamp of the block that contains the approval."
  approvedAt: DateTime!
  "Number of the block that contains the approval, as an integer string."
  blockNumber: String!
  "Hash of the block that contains the approval."
  blockHash: String!
  "Hash of the transaction that emitted the approval. For a payment by permit, the payment's own transaction."
  txHash: String!
  "Zero-based index of the log in its block."
  logIndex: Int!
  "Finality of the block that contains the approval."
  finality: ChainEventFinality!
}
`;

const UNAVAILABLE =
  "Null with the error CHAIN_UNAVAILABLE if the indexer's record cannot be read, or is out of date for an enabled chain on which the result may still change; other fields are unaffected.";

export const joinedFields = `
extend type PaymentIntent {
  """
  On-chain events related to this payment intent, oldest first: events of every set of terms signed for it, the payer's token events in the same transactions, and any other event that names the intent. \`acceptance\` and \`reason\` say what the gateway did with each one. Requires read access to the merchant's data. An operation can request at most 10 different pages. ${UNAVAILABLE}
  """
  chainEvents(
    "${FIRST}"
    first: Int
    "${AFTER}"
    after: String
  ): ChainEventConnection
}

extend type Transaction {
  """
  On-chain events of this transaction that belong to its payment, oldest first, in every block that has contained the transaction. Requires read access to the merchant's data. ${UNAVAILABLE}
  """
  chainEvents(
    "${FIRST}"
    first: Int
    "${AFTER}"
    after: String
  ): ChainEventConnection
}

extend type CustomerWallet {
  """
  Token allowances that the wallet has granted to the escrow, according to the latest indexed approvals. Empty if it has granted none, or if the chain is not indexed. Requires read access to the merchant's data. ${UNAVAILABLE}
  """
  recordedAllowances: [RecordedAllowance!]
}
`;
