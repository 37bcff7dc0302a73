import { type Abi, parseAbi } from 'viem';
import { batchAbi } from './batch/batch-abi.ts';
import { escrowAbi } from './escrow-abi.ts';

/** Errors of OpenZeppelin's tokens and libraries: ERC-6093, permits, pauses, owners, proxies, signatures, calls. */
const libraryErrors = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC20ExceededCap(uint256 increasedSupply, uint256 cap)',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error ERC3009InvalidAuthorizationTime(uint256 validAfter, uint256 validBefore)',
  'error ERC3009InvalidSignature()',
  'error ERC3009UsedAuthorization(address authorizer, bytes32 nonce)',
  'error InvalidAccountNonce(address account, uint256 currentNonce)',
  'error EnforcedPause()',
  'error ExpectedPause()',
  'error OwnableUnauthorizedAccount(address account)',
  'error OwnableInvalidOwner(address owner)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error AccessControlBadConfirmation()',
  'error AccessManagedUnauthorized(address caller)',
  'error ECDSAInvalidSignature()',
  'error ECDSAInvalidSignatureLength(uint256 length)',
  'error ECDSAInvalidSignatureS(bytes32 s)',
  'error SafeERC20FailedDecreaseAllowance(address spender, uint256 currentAllowance, uint256 requestedDecrease)',
  'error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)',
  'error AddressEmptyCode(address target)',
  'error FailedCall()',
  'error FailedDeployment()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
  'error InvalidInitialization()',
  'error NotInitializing()',
  'error InvalidShortString()',
  'error StringTooLong(string str)',
  'error ERC1967NonPayable()',
  'error ERC1967InvalidImplementation(address implementation)',
  'error ProxyDeniedAdminAccess()',
  'error UUPSUnauthorizedCallContext()',
]);

/** Errors of the tokens on local chains. */
const localTokenErrors = parseAbi([
  'error AllowanceTooLow(uint256 current, uint256 asked)',
  'error AllowanceNotReset(uint256 current, uint256 asked)',
  'error BalanceTooLow(uint256 current, uint256 asked)',
  'error Blacklist(address account)',
  'error BlackListed(address account)',
  'error DeadlinePassed(uint256 timestamp, uint256 deadline)',
  'error AuthorizationNotYetValid(uint256 timestamp, uint256 validAfter)',
  'error AuthorizationExpired(uint256 timestamp, uint256 validBefore)',
  'error AuthorizationAlreadyUsed(address authorizer, bytes32 nonce)',
  'error CallerNotPayee(address caller, address payee)',
  'error InvalidSignature(address signer)',
]);

/**
 * Every error that a call of this installation can revert with: those of the escrow (its second edition has all errors of its first, and
 * those of the addresses that it collects deposits from), of the batch contract, and of tokens and the libraries that
 * contracts are built of. `Error(string)` and `Panic(uint256)` belong to the language and are known everywhere.
 */
export const knownErrors: Abi = [...escrowAbi, ...batchAbi, ...libraryErrors, ...localTokenErrors].filter(
  (item) => item.type === 'error',
);
