/**
 * Verifies published liabilities with nothing but a node of the chain. It needs Node.js 20, imports nothing of the gateway, and trusts
 * only the node that `--rpc` names. The formats are defined in docs/liabilities.md.
 *
 *   node verify.mjs --rpc <url> --snapshot <file or url> [--proof <file or url>] [--scan-from <block>] [--range 2000]
 *
 * Prints one line per check. Exit code 0: everything agrees. 1: something differs, and each line `FAULT <NAME>` says what. 2: the arguments
 * are wrong, or a file or the node cannot be read.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const selectors = {
  stateOf: '0x64482ac4',
  creditOf: '0x035ec584',
  eip712Domain: '0x84b0196e',
  balanceOf: '0x70a08231',
  decimals: '0x313ce567',
};
const topics = {
  Authorized: '0x4f6ff9e064846994ad46494728f46e1084724c0da8659b41f8a302a42da14c62',
  Credited: '0x1e1b90a1534197857ad17567a7cf79db0121b3aae8cdc1b28a6f9e9a4ca83ecf',
  Claimed: '0x913c992353dc81b7a8ba31496c484e9b6306bd2f6c509a649a38fdf5e1c953b2',
};
/** The contract's statuses of a payment that holds money. */
const [AUTHORIZED, CAPTURED] = [1, 2];
/** Words of the terms in the data of `Authorized`. */
const [TOKEN_WORD, OPERATOR_WORD] = [3, 13];
const NATIVE = `0x${'00'.repeat(20)}`;
const NATIVE_DECIMALS = 18;

class Unusable extends Error {}
const faults = [];

try {
  await main();
  console.log(faults.length === 0 ? 'VERIFIED' : `NOT VERIFIED: ${faults.join(', ')}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Unusable)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main() {
  const options = readArguments();
  const node = nodeAt(options.rpc);
  const snapshots = listOf(await readJson(options.snapshot), 'snapshot');
  const proofs = options.proof === undefined ? [] : listOf(await readJson(options.proof), 'proof');
  const chainId = Number(await node('eth_chainId', []));
  const ofChain = snapshots.filter((one) => one.chainId === chainId);
  const wanted = new Set(proofs.map(({ snapshotId }) => snapshotId));
  const [snapshot] = wanted.size === 0 ? ofChain : ofChain.filter(({ id }) => wanted.has(id));
  if (
    !check(
      'CHAIN',
      snapshot !== undefined,
      `a snapshot of chain ${chainId}${wanted.size > 0 ? ' that the proof names' : ''}`,
    )
  )
    return;
  checkShape(snapshot);
  await checkBlock(node, snapshot);
  await checkTokens(node, snapshot);
  const own = proofs.filter((proof) => proof.chainId === chainId || proof.snapshotId === snapshot.id);
  if (options.proof !== undefined) check('PROOF', own.length > 0, 'a proof of this chain');
  for (const proof of own) await checkProof(node, snapshot, proof);
  if (options.from !== undefined) await checkScan(node, snapshot, options);
}

function readArguments() {
  const names = ['rpc', 'snapshot', 'proof', 'scan-from', 'range'];
  try {
    const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });
    if (!values.rpc || !values.snapshot) throw new Error('--rpc and --snapshot are needed.');
    const numbers = [values['scan-from'] ?? '0', values.range ?? '2000'];
    if (!numbers.every((text) => /^\d+$/.test(text)) || numbers[1] === '0')
      throw new Error('Blocks are whole numbers.');
    const from = values['scan-from'] === undefined ? undefined : BigInt(numbers[0]);
    return { rpc: values.rpc, snapshot: values.snapshot, proof: values.proof, from, range: BigInt(numbers[1]) };
  } catch (error) {
    throw new Unusable(
      `${error.message}\nUsage: node verify.mjs --rpc <url> --snapshot <file or url> [--proof <file or url>] [--scan-from <block>] [--range 2000]`,
    );
  }
}

/** Records and prints the outcome of one check. */
function check(name, holds, words) {
  console.log(`${holds ? 'ok' : `FAULT ${name}:`} ${words}`);
  if (!holds && !faults.includes(name)) faults.push(name);
  return holds;
}

// The snapshot alone.

function checkShape(snapshot) {
  const { tokens } = snapshot;
  const amounts = ['held', 'captured', 'disputed', 'undelivered', 'total', 'escrowBalance'];
  check(
    'FORMAT',
    tokens.every((token) => amounts.every((name) => isAmount(token[name]))),
    'amounts are whole numbers',
  );
  check('FORMAT', tokens.every((token) => isHash(token.rootHash)) && isHash(snapshot.digest), 'hashes have 64 digits');
  const lines = [
    'sluice-liability-snapshot-1',
    snapshot.id,
    snapshot.chainId,
    snapshot.blockNumber,
    snapshot.blockHash,
    snapshot.blockTimestamp,
    snapshot.escrow,
    snapshot.operators.join(','),
    snapshot.previousDigest ?? '',
    snapshot.createdAt,
    ...tokens.map((token) =>
      [
        token.tokenKey,
        token.tokenAddress,
        token.decimals ?? '',
        token.held,
        token.captured,
        token.disputed,
        token.undelivered,
        token.total,
        token.escrowBalance,
        token.rootHash,
      ].join(' '),
    ),
  ];
  check('DIGEST', hashLines(lines) === snapshot.digest, 'the digest covers every field');
}

async function checkBlock(node, snapshot) {
  const block = await node('eth_getBlockByNumber', [quantity(snapshot.blockNumber), false]);
  check('BLOCK_HASH', block?.hash === snapshot.blockHash, `block ${snapshot.blockNumber} has the published hash`);
  const seconds = block === null ? undefined : BigInt(block.timestamp);
  check('BLOCK_TIME', String(seconds) === snapshot.blockTimestamp, 'the block has the published time');
  check(
    'BLOCK_TIME',
    Date.parse(snapshot.blockTime) === Number(seconds) * 1000,
    'the printed time is that of the block',
  );
  const final = await node('eth_getBlockByNumber', ['finalized', false]).catch(() => null);
  if (final) check('FINALITY', BigInt(final.number) >= BigInt(snapshot.blockNumber), 'the block is final');
  const domain = await callAt(node, snapshot, snapshot.escrow, selectors.eip712Domain);
  const isEscrow = domain?.includes(Buffer.from('Sluice').toString('hex')) && domain.includes(snapshot.escrow.slice(2));
  check('ESCROW', isEscrow === true, `${snapshot.escrow} is an escrow contract`);
}

async function checkTokens(node, snapshot) {
  check(
    'TOKENS',
    new Set(snapshot.tokens.map((token) => token.tokenAddress)).size === snapshot.tokens.length,
    'each token has one total',
  );
  for (const token of snapshot.tokens) {
    const { tokenKey, tokenAddress } = token;
    const parts = [token.held, token.captured, token.disputed, token.undelivered].map(amountOf);
    const total = amountOf(token.total);
    check('TOTAL', parts.reduce((sum, part) => sum + part, 0n) === total, `${tokenKey}: the parts sum to ${total}`);
    const balance = await balanceAt(node, snapshot, tokenAddress);
    check(
      'ESCROW_BALANCE',
      balance === amountOf(token.escrowBalance),
      `${tokenKey}: the escrow held ${balance} at the block`,
    );
    check(
      'SURPLUS',
      String((balance ?? 0n) - total) === token.surplus,
      `${tokenKey}: the published surplus is the difference`,
    );
    check('DEFICIT', balance !== undefined && balance >= total, `${tokenKey}: the escrow held at least what is owed`);
    if (token.decimals !== null) {
      const decimals =
        tokenAddress === NATIVE
          ? NATIVE_DECIMALS
          : Number(await callAt(node, snapshot, tokenAddress, selectors.decimals));
      check('DECIMALS', decimals === token.decimals, `${tokenKey}: ${token.decimals} decimals`);
    }
  }
}

// A proof.

async function checkProof(node, snapshot, proof) {
  const { tokenKey } = proof;
  const words = (text) => `${tokenKey}: ${text}`;
  const token = snapshot.tokens.find((one) => one.tokenKey === tokenKey);
  if (!check('SNAPSHOT', token !== undefined, words('the snapshot has the token of the proof'))) return;
  const copied = [
    ['snapshotId', snapshot.id],
    ['snapshotDigest', snapshot.digest],
    ['chainId', snapshot.chainId],
    ['blockNumber', snapshot.blockNumber],
    ['blockHash', snapshot.blockHash],
    ['escrow', snapshot.escrow],
    ['tokenAddress', token.tokenAddress],
    ['rootHash', token.rootHash],
    ['total', token.total],
  ];
  for (const [name, value] of copied) check('SNAPSHOT', proof[name] === value, words(`${name} is the published one`));
  const statement = hashLines(['sluice-liability-statement-1', ...proof.statement]);
  check('STATEMENT', statement === proof.statementHash, words('the statement has its hash'));
  const lines = proof.statement.map(readLine);
  if (!check('STATEMENT', lines.every(Boolean), words('every line of the statement can be read'))) return;
  check('STATEMENT', new Set(lines.map(({ key }) => key)).size === lines.length, words('no payment is listed twice'));
  const owed = lines.reduce((sum, { amount }) => sum + amount, 0n);
  check('AMOUNT', String(owed) === proof.amount, words(`the statement sums to ${owed}`));
  const pieces = proof.pieces.map(({ amount }) => amountOf(amount)).reduce((sum, amount) => sum + amount, 0n);
  check('AMOUNT', pieces === owed, words('the leaves sum to the statement'));
  const positions = new Set(proof.pieces.map(({ position }) => position));
  const numbers = new Set(proof.pieces.map(({ index }) => index));
  const isDistinct = positions.size === proof.pieces.length && numbers.size === proof.pieces.length;
  check('INCLUSION', isDistinct, words('no leaf is counted twice'));
  for (const piece of proof.pieces) {
    check('INCLUSION', isIncluded(snapshot, token, proof, piece), words(`leaf ${piece.position} leads to the root`));
  }
  await checkPayments(node, snapshot, { proof, lines });
}

function isIncluded({ chainId, blockHash, escrow }, { tokenAddress, rootHash, total }, proof, piece) {
  const { index, position, salt, amount, path } = piece;
  const isWhole = [amount, ...path.map(({ sum }) => sum)].every(isAmount) && path.every(({ hash }) => isHash(hash));
  if (!isWhole || !Number.isInteger(position) || position < 0 || position >= 2 ** path.length) return false;
  const place = ['sluice-liability-leaf-1', chainId, blockHash, escrow, proof.tokenKey, tokenAddress];
  let hash = hashLines([...place, proof.appId, proof.statementHash, index, salt, amount]);
  let sum = BigInt(amount);
  for (const [height, sibling] of path.entries()) {
    const isRight = Math.floor(position / 2 ** height) % 2 === 1;
    const [left, right] = isRight ? [sibling, { hash, sum }] : [{ hash, sum }, sibling];
    hash = hashLines(['sluice-liability-node-1', left.hash, left.sum, right.hash, right.sum]);
    sum += BigInt(sibling.sum);
  }
  return hash === rootHash && String(sum) === total;
}

/** A line of a statement; null if it is none. */
function readLine(line) {
  const [, kind, id, amount, recipient] =
    /^(HELD|CAPTURED|DISPUTED|UNDELIVERED) (0x[0-9a-f]{64}) (0|[1-9]\d*)(?: (0x[0-9a-f]{40}))?$/.exec(line) ?? [];
  if (kind === undefined || (kind === 'UNDELIVERED') !== (recipient !== undefined)) return null;
  // Shares of one payment can be undelivered to several recipients, and so can each of several refunds to one.
  const key = kind === 'UNDELIVERED' ? Symbol(line) : id;
  return { kind, id, amount: BigInt(amount), recipient, key };
}

/** The contract's own state of every payment of the statement, at the block. */
async function checkPayments(node, snapshot, { proof, lines }) {
  const owedTo = new Map();
  for (const { kind, id, amount, recipient } of lines) {
    if (kind === 'UNDELIVERED') {
      owedTo.set(recipient, (owedTo.get(recipient) ?? 0n) + amount);
      continue;
    }
    const state = await stateAt(node, snapshot, id);
    const agrees = state?.kind === kind && state.left === amount;
    if (!agrees)
      check(
        'PAYMENT',
        false,
        `${proof.tokenKey}: the contract has ${state?.left ?? 'nothing'} ${state?.kind ?? ''} of ${id}, the statement ${amount} ${kind}`,
      );
  }
  for (const [recipient, amount] of owedTo) {
    const data = `${selectors.creditOf}${word(recipient)}${word(proof.tokenAddress)}`;
    const credit = await callAt(node, snapshot, snapshot.escrow, data);
    const covers = credit !== undefined && BigInt(credit) >= amount;
    if (!covers) check('CREDIT', false, `${proof.tokenKey}: the contract owes ${recipient} less than ${amount}`);
  }
  const held = lines.length - lines.filter(({ kind }) => kind === 'UNDELIVERED').length;
  console.log(`ok ${proof.tokenKey}: compared ${held} payments and ${owedTo.size} recipients with the contract`);
}

// All payments of the operators, from the contract's logs.

async function checkScan(node, snapshot, { from, range }) {
  const sums = new Map();
  const add = (token, kind, amount) => {
    const sum = sums.get(token) ?? { HELD: 0n, CAPTURED: 0n, DISPUTED: 0n, UNDELIVERED: 0n };
    sum[kind] += amount;
    sums.set(token, sum);
  };
  const payments = new Map();
  const credits = new Map();
  const last = BigInt(snapshot.blockNumber);
  for (let start = from; start <= last; start += range) {
    const end = start + range - 1n > last ? last : start + range - 1n;
    const filter = { address: snapshot.escrow, topics: [Object.values(topics)] };
    const logs = await node('eth_getLogs', [{ ...filter, fromBlock: quantity(start), toBlock: quantity(end) }]);
    for (const log of logs.toSorted(byPlace)) {
      if (log.topics[0] === topics.Authorized) {
        const operator = addressAt(log.data, OPERATOR_WORD);
        if (snapshot.operators.includes(operator)) payments.set(log.topics[1], addressAt(log.data, TOKEN_WORD));
      } else if (log.topics[0] === topics.Credited) {
        const owner = `${log.topics[2]} ${log.topics[3]}`;
        credits.set(owner, [
          ...(credits.get(owner) ?? []),
          { id: log.topics[1], amount: BigInt(log.data.slice(0, 66)) },
        ]);
      } else {
        credits.delete(`${log.topics[1]} ${log.topics[2]}`);
      }
    }
  }
  for (const [id, token] of payments) {
    const state = await stateAt(node, snapshot, id);
    if (state?.kind) add(token, state.kind, state.left);
  }
  for (const { id, amount } of [...credits.values()].flat()) {
    const token = payments.get(id);
    if (token !== undefined) add(token, 'UNDELIVERED', amount);
  }
  for (const address of new Set([...sums.keys(), ...snapshot.tokens.map((token) => token.tokenAddress)])) {
    const token = snapshot.tokens.find((one) => one.tokenAddress === address);
    const found = sums.get(address) ?? { HELD: 0n, CAPTURED: 0n, DISPUTED: 0n, UNDELIVERED: 0n };
    for (const [kind, amount] of Object.entries(found)) {
      const published = token?.[kind.toLowerCase()] ?? '0';
      check(
        'CHAIN_TOTALS',
        String(amount) === published,
        `${token?.tokenKey ?? address}: the contract has ${amount} ${kind}, the snapshot ${published}`,
      );
    }
  }
  console.log(`ok read ${payments.size} payments of the operators from block ${from}`);
}

function byPlace(left, right) {
  return Number(BigInt(left.blockNumber) - BigInt(right.blockNumber)) || Number(left.logIndex) - Number(right.logIndex);
}

// The node.

function nodeAt(url) {
  let id = 0;
  return async (method, params) => {
    id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body }).catch((error) => {
      throw new Unusable(`The node does not respond: ${error.message}`);
    });
    const answer = await response.json().catch(() => ({ error: { message: `status ${response.status}` } }));
    if (answer.error) throw new Unusable(`The node rejected ${method}: ${answer.error.message}`);
    return answer.result;
  };
}

/** Undefined if the node has no such block, or the call fails at it. */
async function callAt(node, snapshot, to, data) {
  const at = { blockHash: snapshot.blockHash, requireCanonical: true };
  const result = await node('eth_call', [{ to, data }, at]).catch(() => undefined);
  return result === undefined || result === '0x' ? undefined : result;
}

async function balanceAt(node, snapshot, token) {
  const { escrow, blockHash } = snapshot;
  const answer =
    token === NATIVE
      ? await node('eth_getBalance', [escrow, { blockHash, requireCanonical: true }]).catch(() => undefined)
      : await callAt(node, snapshot, token, `${selectors.balanceOf}${word(escrow)}`);
  return answer === undefined ? undefined : BigInt(answer);
}

/** What the contract holds of a payment, and as what; `kind` is undefined if it holds nothing. */
async function stateAt(node, snapshot, id) {
  const answer = await callAt(node, snapshot, snapshot.escrow, `${selectors.stateOf}${id.slice(2)}`);
  if (answer === undefined) return undefined;
  const [status, left, , disputedAt] = [0, 1, 2, 3].map((index) =>
    BigInt(`0x${answer.slice(2 + 64 * index, 66 + 64 * index)}`),
  );
  const captured = disputedAt === 0n ? 'CAPTURED' : 'DISPUTED';
  const kind = Number(status) === AUTHORIZED ? 'HELD' : Number(status) === CAPTURED ? captured : undefined;
  return { kind, left };
}

function word(hex) {
  return String(hex).slice(2).padStart(64, '0');
}

function addressAt(data, index) {
  return `0x${data.slice(2 + 64 * index + 24, 2 + 64 * index + 64)}`;
}

function quantity(number) {
  return `0x${BigInt(number).toString(16)}`;
}

// Text.

function hashLines(lines) {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function isAmount(text) {
  return typeof text === 'string' && /^(0|[1-9]\d*)$/.test(text);
}

function isHash(text) {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** Zero for what is no amount, which another check has reported. */
function amountOf(text) {
  return isAmount(text) ? BigInt(text) : 0n;
}

async function readJson(place) {
  try {
    const text = /^https?:/.test(place) ? await (await fetch(place)).text() : await readFile(place, 'utf8');
    return JSON.parse(text);
  } catch (error) {
    throw new Unusable(`${place} cannot be read: ${error.message}`);
  }
}

/** The answer of the API, its `data`, or one element of it. */
function listOf(json, what) {
  if (json?.success !== undefined && json.success !== true) throw new Unusable(`This is an error, and no ${what}.`);
  const data = json?.data ?? json;
  const list = Array.isArray(data) ? data : [data];
  const keys = what === 'snapshot' ? ['tokens', 'operators'] : ['pieces', 'statement'];
  const isWhole = (one) => typeof one === 'object' && one !== null && keys.every((key) => Array.isArray(one[key]));
  if (!list.every(isWhole)) throw new Unusable(`This is no ${what}.`);
  return list;
}
