// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What a payment escrow without an owner offers
/// @notice Every payment is described by terms that its operator signs and its payer consents to; the contract keeps
///         only the hash of the terms (the payment's id) and one slot of state.
interface IPaymentEscrow {
    /// @notice A payment's status; every status after CAPTURED is final and has nothing left.
    enum Status {
        NONE,
        AUTHORIZED,
        CAPTURED,
        VOIDED,
        RECLAIMED,
        REFUNDED,
        SETTLED,
        RESOLVED
    }

    /// @notice Who ended a dispute.
    enum Resolution {
        ARBITER,
        CONCEDED,
        TIMEOUT
    }

    /// @notice What a recipient is to a payment.
    enum Role {
        PAYER,
        MERCHANT,
        FEE_RECIPIENT
    }

    /// @notice One payment, as operator and payer both agree to it. Its EIP-712 struct hash is the payment's id.
    /// @param intentId the gateway's own reference
    /// @param payer who pays, and gets back whatever is returned
    /// @param merchant who is paid at settlement
    /// @param token an ERC-20, or zero for the chain's native coin
    /// @param amount base units collected at authorization
    /// @param authorizeBy last second (unix) at which the payment may be authorized
    /// @param captureBy last second at which the hold may be captured; after it anybody may give it back
    /// @param timelock seconds from capture to the earliest settlement
    /// @param disputeWindow seconds from capture in which the payer may dispute (the second capturedAt + disputeWindow is
    ///        the first one too late, so that no second allows both a dispute and a settlement); zero for no disputes
    /// @param disputeTimeout seconds from a dispute to the earliest resolution by timeout
    /// @param timeoutPayerBps the payer's share, in basis points, when a dispute times out
    /// @param feeBps the fee on what the merchant gets, in basis points, at most 1000
    /// @param feeRecipient who gets the fee; may be zero only without a fee
    /// @param operator who may capture, void and refund, and whose signature these terms need
    /// @param arbiter who resolves disputes; zero exactly when disputeWindow is zero
    /// @param quoteHash binds the terms to the quote that the payer was shown
    /// @param captureOnAuthorize capture in the same call
    struct PaymentTerms {
        bytes32 intentId;
        address payer;
        address merchant;
        address token;
        uint128 amount;
        uint40 authorizeBy;
        uint40 captureBy;
        uint32 timelock;
        uint32 disputeWindow;
        uint32 disputeTimeout;
        uint16 timeoutPayerBps;
        uint16 feeBps;
        address feeRecipient;
        address operator;
        address arbiter;
        bytes32 quoteHash;
        bool captureOnAuthorize;
    }

    /// @notice A payer's consent to be charged once a period, signed once.
    /// @param unit 0: a period is count seconds; 1: a period is count calendar months (UTC, day clamped)
    /// @param end no charge at or after this second; zero for no end
    struct RecurringConsent {
        bytes32 subscriptionId;
        address payer;
        address merchant;
        address token;
        uint128 capPerPeriod;
        uint40 start;
        uint8 unit;
        uint32 count;
        uint40 end;
        uint16 feeBps;
        address feeRecipient;
        address operator;
        address arbiter;
        uint32 timelock;
        uint32 disputeWindow;
        uint32 disputeTimeout;
        uint16 timeoutPayerBps;
    }

    event Authorized(
        bytes32 indexed id, bytes32 indexed intentId, address indexed payer, PaymentTerms terms, uint128 left
    );
    /// @param captured base units kept for the merchant; @param returned base units given back to the payer
    event Captured(
        bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 captured, uint128 returned, uint128 left
    );
    event Voided(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 amount, uint128 left);
    event Reclaimed(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 amount, uint128 left);
    event Refunded(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 amount, uint128 left);
    event Settled(
        bytes32 indexed id,
        bytes32 indexed intentId,
        address indexed payer,
        uint128 merchantAmount,
        uint128 feeAmount,
        uint128 left
    );
    event Disputed(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 left);
    event Resolved(
        bytes32 indexed id,
        bytes32 indexed intentId,
        address indexed payer,
        Resolution resolution,
        uint16 payerBps,
        uint128 payerAmount,
        uint128 merchantAmount,
        uint128 feeAmount,
        uint128 left
    );
    /// @notice Comes right after the Authorized and Captured of a renewal's payment.
    event Charged(
        bytes32 indexed consentId, bytes32 indexed id, address indexed payer, bytes32 subscriptionId, uint32 period
    );
    event Revoked(bytes32 indexed consentId, bytes32 indexed subscriptionId, address indexed payer);
    /// @notice A push that failed: the recipient may claim it.
    event Credited(bytes32 indexed id, address indexed recipient, address indexed token, uint256 amount, Role role);
    event Claimed(address indexed recipient, address indexed token, address to, uint256 amount);
    /// @notice What lay at a payment's deposit address went to the payer.
    /// @param id the payment whose deposit address it is; the payment itself need not exist
    /// @param intentId the gateway's own reference
    /// @param payer who was paid
    /// @param token an ERC-20, which anybody may have named, or zero for the native coin
    /// @param amount base units that left the address
    event DepositReturned(
        bytes32 indexed id, bytes32 indexed intentId, address indexed payer, address token, uint256 amount
    );

    // Errors. Where two numbers disagree, the error carries the actual one first and then the one it had to meet.

    error NotPayer(address caller, address payer);
    error NotOperatorOrMerchant(address caller, address operator, address merchant);
    error NotArbiter(address caller, address arbiter);
    error InvalidOperatorSignature(bytes32 digest, address operator);
    error InvalidPayerSignature(bytes32 digest, address payer);
    error WrongStatus(bytes32 id, Status actual, Status required);
    error WrongLeft(uint128 actual, uint128 expected);
    error WrongValue(uint256 actual, uint256 required);
    /// @notice The token moved another amount than asked (a fee, a rebase, a lie): the escrow's balances.
    error WrongBalance(uint256 actual, uint256 required);
    error NativeCoinNotPullable(bytes32 id);
    error ZeroParty(address payer, address merchant, address operator);
    error SinkParty(address party);
    error ArbiterIsOperator(address operator);
    error ZeroAmount();
    error AmountAboveLeft(uint128 amount, uint128 left);
    error FeeAboveMax(uint16 feeBps, uint16 maxBps);
    error FeeRecipientMissing(uint16 feeBps);
    error ShareAboveMax(uint16 payerBps, uint16 maxBps);
    error AuthorizeByPassed(uint256 timestamp, uint40 authorizeBy);
    error CaptureByBeforeAuthorizeBy(uint40 captureBy, uint40 authorizeBy);
    error CaptureByTooLate(uint40 captureBy, uint256 latest);
    error TimelockTooLong(uint32 timelock, uint32 maxSeconds);
    error DisputeWindowAboveTimelock(uint32 disputeWindow, uint32 timelock);
    error DisputeTimeoutOutOfBounds(uint32 disputeTimeout, uint32 minSeconds, uint32 maxSeconds);
    error ArbiterMismatch(address arbiter, uint32 disputeWindow);
    error CaptureByPassed(uint256 timestamp, uint40 captureBy);
    error CaptureByNotPassed(uint256 timestamp, uint40 captureBy);
    error TimelockNotOver(uint256 timestamp, uint256 settleFrom);
    error DisputeWindowOver(uint256 timestamp, uint256 disputeBefore);
    error DisputeTimeoutNotOver(uint256 timestamp, uint256 resolveFrom);
    error AlreadyDisputed(bytes32 id, uint40 disputedAt);
    error NotDisputed(bytes32 id);
    /// @notice Too little gas to give the next recipient its full stipend and still credit it if it fails.
    error GasBelowFloor(uint256 gasLeft, uint256 required);
    error ConsentAlreadyRevoked(bytes32 consentId);
    error ConsentOver(uint256 timestamp, uint40 end);
    error TermsDifferFromConsent(bytes32 consentId, bytes32 id);
    error AmountAboveCap(uint128 amount, uint128 capPerPeriod);
    error WrongIntentId(bytes32 actual, bytes32 required);
    error PeriodAlreadyCharged(uint32 period, uint32 nextPeriod);
    error PeriodNotOpen(uint256 timestamp, uint40 from, uint40 before);
    error InvalidPeriodLength(uint8 unit, uint32 count);
    error PeriodOutOfRange(uint256 start, uint256 latest);
    error NothingToClaim(address recipient, address token);
    error InvalidClaimTarget(address to);
    error ClaimFailed(address to, uint256 amount);
    /// @notice The deposit address holds less than the payment's amount.
    /// @param actual base units that it holds
    /// @param required the payment's amount
    error DepositTooLow(uint256 actual, uint256 required);
    /// @notice The recipient did not accept the coin, or the token did not move.
    /// @param box the deposit address
    /// @param token an ERC-20, or zero for the native coin
    /// @param to the escrow or the payer
    /// @param amount base units that were to move
    error DepositNotSent(address box, address token, address to, uint256 amount);
    /// @notice The deposit address holds nothing of this token.
    /// @param box the deposit address
    /// @param token an ERC-20, or zero for the native coin
    error NothingToReturn(address box, address token);
    /// @notice While the payment may still be authorized, only the operator returns deposits of its own token.
    /// @param caller who called
    /// @param operator the operator of the terms
    error NotOperator(address caller, address operator);
    /// @notice The escrow takes the native coin by authorize, and from the deposit address that a call collects from.
    /// @param sender who sent the coin
    /// @param value how much of it
    error UnexpectedCoin(address sender, uint256 value);

    /// @notice The payer sends the payment; for the native coin with exactly the amount as value, else with none.
    function authorize(PaymentTerms calldata terms, bytes calldata operatorSignature) external payable;

    /// @notice Anybody relays a payment that the payer signed (these terms, EIP-712) beside an EIP-2612 permit for the
    ///         amount. A permit that fails is no fault while the allowance covers the amount.
    function authorizeWithPermit(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata payerSignature,
        uint256 permitDeadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Anybody relays a payment that the payer signed, out of an allowance given before.
    function authorizeWithAllowance(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata payerSignature
    ) external;

    /// @notice Anybody relays an ERC-3009 receiveWithAuthorization whose nonce is the payment's id, validAfter 0.
    function authorizeWithReceive(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        uint256 validBefore,
        bytes calldata receiveSignature
    ) external;

    /// @notice Anybody takes the payment's amount from its deposit address, where the payer's consent is the deposit
    ///         itself: the address follows from the whole terms. What is beyond the amount stays there for returnDeposit.
    /// @param terms the payment's terms, in the native coin or a token
    /// @param operatorSignature the operator's signature over the terms
    function authorizeFromDeposit(PaymentTerms calldata terms, bytes calldata operatorSignature) external;

    /// @notice Pays the payer all that the deposit address of these terms holds of a token, or reverts; it credits
    ///         nobody. Anybody may call it, with one exception: the terms' own token is the operator's to return while
    ///         the payment is not authorized and still can be, until authorizeBy, so that no stranger undoes a payment
    ///         that is being topped up. An authorizeBy further away than a payment may have does not count.
    /// @param terms the terms, of another chain too: they have the same deposit address here
    /// @param token any ERC-20, or zero for the native coin
    function returnDeposit(PaymentTerms calldata terms, address token) external;

    /// @notice Operator or merchant keeps `amount`; the rest goes back to the payer in the same call.
    function capture(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external;
    /// @notice Operator or merchant gives an uncaptured hold back to the payer, whole.
    function void(PaymentTerms calldata terms) external;
    /// @notice After captureBy anybody gives an uncaptured hold back to the payer, whole.
    function reclaim(PaymentTerms calldata terms) external;
    /// @notice Operator or merchant gives `amount` of a captured payment back, without a fee; all of it ends a dispute too.
    function refund(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external;
    /// @notice From capturedAt + timelock on, anybody pays an undisputed payment out to merchant and fee recipient.
    function settle(PaymentTerms calldata terms) external;
    /// @notice Before capturedAt + disputeWindow the payer stops the settlement until the dispute is resolved.
    function dispute(PaymentTerms calldata terms) external;
    /// @notice Anybody relays the payer's `Dispute(bytes32 id)` signature.
    function disputeWithSignature(PaymentTerms calldata terms, bytes calldata payerSignature) external;
    /// @notice The arbiter splits what is left; the fee is taken from the merchant's share only.
    function resolve(PaymentTerms calldata terms, uint16 payerBps) external;
    /// @notice Operator or merchant ends a dispute in favour of the payer.
    function concede(PaymentTerms calldata terms) external;
    /// @notice From disputedAt + disputeTimeout on, anybody splits what is left by the signed timeoutPayerBps.
    function resolveByTimeout(PaymentTerms calldata terms) external;
    /// @notice Charge of period `period` (0 is the first). The operator signs `Charge(bytes32 consentId,uint32 period,bytes32 id)`.
    function charge(
        RecurringConsent calldata consent,
        uint32 period,
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata consentSignature
    ) external;
    /// @notice The consent's payer ends it at once; charged payments stay as they are.
    function revoke(RecurringConsent calldata consent) external;
    /// @notice The caller takes all that was credited to it in this token: the native coin to an address of its choice,
    ///         a token to itself only, so that nobody walks around the token's rules through the escrow.
    function claim(address token, address to) external;
    /// @notice Anybody pays a recipient all that was credited to it in this token, or reverts and leaves the credit.
    function claimFor(address recipient, address token) external;

    /// @notice The terms' EIP-712 struct hash: the payment's id, whatever the chain and contract.
    function idOf(PaymentTerms calldata terms) external pure returns (bytes32 id);
    /// @notice The consent's EIP-712 struct hash, whatever the chain and contract.
    /// @notice The address to which a payer sends the amount of these terms. It follows from this contract's address and
    ///         the terms alone, and is the same on every chain.
    /// @param terms the payment's terms
    /// @return where to send the payment's token; a transfer of anything else is returned to the payer on demand
    function depositAddressOf(PaymentTerms calldata terms) external view returns (address);
    function consentIdOf(RecurringConsent calldata consent) external pure returns (bytes32 consentId);
    /// @notice What is signed: the EIP-712 digest of a struct hash on this contract and the chain's current id. Payer
    ///         and operator sign that of the payment's id, a subscriber that of the consent's.
    function digestOf(bytes32 structHash) external view returns (bytes32);
    /// @notice The intent id that the charge of this period must carry: keccak256(abi.encode(consentId, period)).
    function chargeIntentId(bytes32 consentId, uint32 period) external pure returns (bytes32);
    /// @notice A payment's state; while its token is being asked to pay, and so may call anybody, NONE.
    function stateOf(bytes32 id)
        external
        view
        returns (Status status, uint128 left, uint40 capturedAt, uint40 disputedAt);
    /// @notice Of a consent: whether it was revoked, and the next period that may be charged (0 before the first).
    function consentState(bytes32 consentId) external view returns (bool revoked, uint32 nextPeriod);
    /// @notice First second of a period.
    function periodStart(RecurringConsent calldata consent, uint32 period) external pure returns (uint40);
    function creditOf(address recipient, address token) external view returns (uint256);
}
