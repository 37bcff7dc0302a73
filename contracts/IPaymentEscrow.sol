// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What a payment escrow without an owner offers
/// @notice Every payment is described by terms that its operator signs and its payer consents to; the contract keeps
///         only the hash of the terms (the payment's id) and one slot of state.
interface IPaymentEscrow {
    /// @notice A payment's status; every status after CAPTURED is final and has nothing left.
    /// @dev NONE: never authorized, or the token call that collects it is in progress. AUTHORIZED: a hold, all of it in
    ///      escrow. CAPTURED: kept for the merchant until it is settled, refunded or, after a dispute, resolved. VOIDED:
    ///      the operator or merchant returned the hold to the payer. RECLAIMED: the hold was returned because it was not
    ///      captured in time. REFUNDED: the whole captured amount was refunded, at once or in parts. SETTLED: the
    ///      remaining amount was paid to the merchant and the fee recipient after the timelock. RESOLVED: the remaining
    ///      amount was split after a dispute.
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
    /// @dev ARBITER: by a split of its choice. CONCEDED: operator or merchant, all of it to the payer. TIMEOUT: anybody,
    ///      by the split that the terms have for an arbiter that does not decide.
    enum Resolution {
        ARBITER,
        CONCEDED,
        TIMEOUT
    }

    /// @notice The role of a recipient in a payment.
    /// @dev PAYER: it gets money back. MERCHANT: it is paid. FEE_RECIPIENT: it gets the fee. One address may be several.
    enum Role {
        PAYER,
        MERCHANT,
        FEE_RECIPIENT
    }

    /// @notice One payment, as operator and payer both agree to it. Its EIP-712 struct hash is the payment's id.
    /// @param intentId the gateway's own reference
    /// @param payer who pays, and gets back whatever is returned; neither the token nor the escrow
    /// @param merchant who is paid at settlement; neither the token nor the escrow
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
    /// @param feeRecipient who gets the fee; neither the token nor the escrow; may be zero only without a fee
    /// @param operator who may capture, void and refund, and whose signature these terms need
    /// @param arbiter who resolves disputes; not the operator; zero exactly when disputeWindow is zero
    /// @param quoteHash binds the terms to the quote that the payer was shown, the quote's chain included
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

    /// @notice A payer's consent to be charged once a period, signed once. Its EIP-712 struct hash is the consent's id.
    /// @param subscriptionId the gateway's own reference
    /// @param payer who is charged
    /// @param merchant who is paid by each charge
    /// @param token the ERC-20 that is charged; the native coin cannot be
    /// @param capPerPeriod base units that one charge takes at most
    /// @param start first second (unix) of period 0
    /// @param unit 0: a period is count seconds; 1: a period is count calendar months (UTC, day clamped)
    /// @param count how many seconds or months a period has; at least 1
    /// @param end no charge at or after this second; zero for no end
    /// @param feeBps the fee of each charge's payment, as in its terms
    /// @param feeRecipient who gets the fee
    /// @param operator who signs each charge
    /// @param arbiter who resolves disputes about a charge's payment
    /// @param timelock seconds from a charge to the earliest settlement of its payment
    /// @param disputeWindow seconds from a charge in which the payer may dispute it; zero for no disputes
    /// @param disputeTimeout seconds from a dispute to the earliest resolution by timeout
    /// @param timeoutPayerBps the payer's share, in basis points, when a dispute times out
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

    // Events of a payment carry its terms once, when it is authorized, and afterwards the id, the gateway's own
    // reference, the payer, the amounts, and what is left in escrow: an indexer needs nothing else.

    /// @notice A payment was collected into escrow.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who paid
    /// @param terms the whole terms, whose hash is the id
    /// @param left base units in escrow: the terms' amount
    event Authorized(
        bytes32 indexed id, bytes32 indexed intentId, address indexed payer, PaymentTerms terms, uint128 left
    );
    /// @notice A hold was captured, by a call of its own or when it was authorized; its timelock begins.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who paid
    /// @param captured base units kept for the merchant
    /// @param returned base units given back to the payer
    /// @param left base units still in escrow: what was captured
    event Captured(
        bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 captured, uint128 returned, uint128 left
    );
    /// @notice Operator or merchant gave a hold back.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who got it back
    /// @param amount base units given back
    /// @param left base units still in escrow: none
    event Voided(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 amount, uint128 left);
    /// @notice A hold that nobody had captured in time went back.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who got it back
    /// @param amount base units given back
    /// @param left base units still in escrow: none
    event Reclaimed(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 amount, uint128 left);
    /// @notice Operator or merchant gave a captured payment back, or a part of it.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who got it back
    /// @param amount base units given back
    /// @param left base units still in escrow; with none the payment is REFUNDED, and a dispute is over
    event Refunded(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 amount, uint128 left);
    /// @notice What was left of a payment went to merchant and fee recipient.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who paid
    /// @param merchantAmount base units for the merchant
    /// @param feeAmount base units for the fee recipient
    /// @param left base units still in escrow: none
    event Settled(
        bytes32 indexed id,
        bytes32 indexed intentId,
        address indexed payer,
        uint128 merchantAmount,
        uint128 feeAmount,
        uint128 left
    );
    /// @notice The payer disputed a payment, which stops its settlement.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who disputes
    /// @param left base units that the dispute is about
    event Disputed(bytes32 indexed id, bytes32 indexed intentId, address indexed payer, uint128 left);
    /// @notice A dispute ended, and what was left was split.
    /// @param id the payment
    /// @param intentId the gateway's own reference
    /// @param payer who disputed
    /// @param resolution who ended the dispute
    /// @param payerBps the payer's share in basis points
    /// @param payerAmount base units for the payer
    /// @param merchantAmount base units for the merchant
    /// @param feeAmount base units for the fee recipient, out of the merchant's share
    /// @param left base units still in escrow: none
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
    /// @notice A period of a consent was charged. Comes right after the Authorized and Captured of its payment.
    /// @param consentId the consent
    /// @param id the period's payment
    /// @param payer who was charged
    /// @param subscriptionId the gateway's own reference of the consent
    /// @param period the period, from zero
    event Charged(
        bytes32 indexed consentId, bytes32 indexed id, address indexed payer, bytes32 subscriptionId, uint32 period
    );
    /// @notice The payer ended a consent: no period of it is charged any more.
    /// @param consentId the consent
    /// @param subscriptionId the gateway's own reference of the consent
    /// @param payer who ended it
    event Revoked(bytes32 indexed consentId, bytes32 indexed subscriptionId, address indexed payer);
    /// @notice A recipient could not be paid: the money is kept for this recipient only.
    /// @param id the payment
    /// @param recipient who may claim it, and who is paid by a claim that anybody makes for it
    /// @param token an ERC-20, or zero for the native coin
    /// @param amount base units added to what the recipient is owed in this token
    /// @param role the role of the recipient in the payment
    event Credited(bytes32 indexed id, address indexed recipient, address indexed token, uint256 amount, Role role);
    /// @notice All that a recipient was owed in a token was paid out.
    /// @param recipient who was owed it
    /// @param token an ERC-20, or zero for the native coin
    /// @param to where it went: to the recipient, or of the native coin where the recipient sent it
    /// @param amount base units paid
    event Claimed(address indexed recipient, address indexed token, address to, uint256 amount);
    /// @notice The balance of a payment's deposit address was returned to the payer.
    /// @param id the payment whose deposit address it is; the payment itself need not exist
    /// @param intentId the gateway's own reference
    /// @param payer who was paid
    /// @param token an ERC-20, which anybody may have named, or zero for the native coin
    /// @param amount base units that left the address
    event DepositReturned(
        bytes32 indexed id, bytes32 indexed intentId, address indexed payer, address token, uint256 amount
    );

    // Errors. Where two numbers disagree, the error carries the actual one first and then the one it had to meet.

    /// @notice Only the payer may make this call.
    /// @param caller who called
    /// @param payer the payer of the terms or of the consent
    error NotPayer(address caller, address payer);
    /// @notice Only operator or merchant may make this call.
    /// @param caller who called
    /// @param operator the operator of the terms
    /// @param merchant the merchant of the terms
    error NotOperatorOrMerchant(address caller, address operator, address merchant);
    /// @notice Only the arbiter may make this call.
    /// @param caller who called
    /// @param arbiter the arbiter of the terms, zero if they allow no disputes
    error NotArbiter(address caller, address arbiter);
    /// @notice The operator has not signed this.
    /// @param digest the EIP-712 digest that the operator had to sign
    /// @param operator the operator of the terms
    error InvalidOperatorSignature(bytes32 digest, address operator);
    /// @notice The payer has not signed this.
    /// @param digest the EIP-712 digest that the payer had to sign
    /// @param payer the payer of the terms
    error InvalidPayerSignature(bytes32 digest, address payer);
    /// @notice The payment does not have the status that the call requires.
    /// @param id the payment
    /// @param actual the status that it has
    /// @param required the status that it had to have
    error WrongStatus(bytes32 id, Status actual, Status required);
    /// @notice The remaining amount differs from what the caller expected, because another call came first.
    /// @param actual the remaining base units
    /// @param expected the remaining base units that the caller expected
    error WrongLeft(uint128 actual, uint128 expected);
    /// @notice The call's value differs from the amount that the payment requires.
    /// @param actual the call's value
    /// @param required the terms' amount in the native coin, zero for a token
    error WrongValue(uint256 actual, uint256 required);
    /// @notice The token transferred a different amount than requested, for example because of a fee or a rebase.
    /// @param actual the escrow's balance after the transfer
    /// @param required its balance before, and the amount
    error WrongBalance(uint256 actual, uint256 required);
    /// @notice The native coin is paid by authorize or from a deposit address, and not pulled out of an allowance.
    /// @param id the payment
    error NativeCoinNotPullable(bytes32 id);
    /// @notice Payer, merchant or operator is the zero address.
    /// @param payer the payer of the terms
    /// @param merchant the merchant of the terms
    /// @param operator the operator of the terms
    error ZeroParty(address payer, address merchant, address operator);
    /// @notice The escrow or the payment's token is named as a recipient, but could never use the money.
    /// @param party the one that is named
    error SinkParty(address party);
    /// @notice The operator, which signs the terms, cannot be the arbiter.
    /// @param operator the operator, which is also named as the arbiter
    error ArbiterIsOperator(address operator);
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice The amount to capture or refund is above the remaining amount.
    /// @param amount base units asked for
    /// @param left base units left
    error AmountAboveLeft(uint128 amount, uint128 left);
    /// @notice The fee is too high.
    /// @param feeBps the terms' fee in basis points
    /// @param maxBps the highest one
    error FeeAboveMax(uint16 feeBps, uint16 maxBps);
    /// @notice A fee is set without a fee recipient.
    /// @param feeBps the terms' fee in basis points
    error FeeRecipientMissing(uint16 feeBps);
    /// @notice A share is more than the whole.
    /// @param payerBps the share in basis points
    /// @param maxBps the whole
    error ShareAboveMax(uint16 payerBps, uint16 maxBps);
    /// @notice It is too late to authorize the payment.
    /// @param timestamp now
    /// @param authorizeBy the last second to authorize
    error AuthorizeByPassed(uint256 timestamp, uint40 authorizeBy);
    /// @notice The hold would end before it could begin.
    /// @param captureBy the last second to capture
    /// @param authorizeBy the last second to authorize
    error CaptureByBeforeAuthorizeBy(uint40 captureBy, uint40 authorizeBy);
    /// @notice The hold could last too long.
    /// @param captureBy the last second to capture
    /// @param latest the latest one allowed at this second
    error CaptureByTooLate(uint40 captureBy, uint256 latest);
    /// @notice The settlement could be too far away.
    /// @param timelock the terms' timelock in seconds
    /// @param maxSeconds the longest one
    error TimelockTooLong(uint32 timelock, uint32 maxSeconds);
    /// @notice A dispute could come after the settlement.
    /// @param disputeWindow the terms' dispute window in seconds
    /// @param timelock the terms' timelock in seconds
    error DisputeWindowAboveTimelock(uint32 disputeWindow, uint32 timelock);
    /// @notice A dispute could time out at once, or too late.
    /// @param disputeTimeout the terms' timeout in seconds
    /// @param minSeconds the shortest one
    /// @param maxSeconds the longest one
    error DisputeTimeoutOutOfBounds(uint32 disputeTimeout, uint32 minSeconds, uint32 maxSeconds);
    /// @notice There are disputes without an arbiter, or an arbiter without disputes.
    /// @param arbiter the arbiter of the terms, or zero
    /// @param disputeWindow the terms' dispute window in seconds, or zero
    error ArbiterMismatch(address arbiter, uint32 disputeWindow);
    /// @notice It is too late to capture the hold.
    /// @param timestamp now
    /// @param captureBy the last second to capture
    error CaptureByPassed(uint256 timestamp, uint40 captureBy);
    /// @notice It is too early to reclaim the hold: it may still be captured.
    /// @param timestamp now
    /// @param captureBy the last second to capture
    error CaptureByNotPassed(uint256 timestamp, uint40 captureBy);
    /// @notice It is too early to settle the payment.
    /// @param timestamp now
    /// @param settleFrom the first second to settle
    error TimelockNotOver(uint256 timestamp, uint256 settleFrom);
    /// @notice It is too late to dispute the payment.
    /// @param timestamp now
    /// @param disputeBefore the first second too late
    error DisputeWindowOver(uint256 timestamp, uint256 disputeBefore);
    /// @notice It is too early to resolve the dispute by timeout.
    /// @param timestamp now
    /// @param resolveFrom the first second to resolve
    error DisputeTimeoutNotOver(uint256 timestamp, uint256 resolveFrom);
    /// @notice The payment is disputed: it is neither settled nor disputed again.
    /// @param id the payment
    /// @param disputedAt the second of the dispute
    error AlreadyDisputed(bytes32 id, uint40 disputedAt);
    /// @notice The payment is not disputed.
    /// @param id the payment
    error NotDisputed(bytes32 id);
    /// @notice Too little gas to give the next recipient its full stipend and still credit it if it fails.
    /// @param gasLeft gas before the transfer
    /// @param required what the transfer needs
    error GasBelowFloor(uint256 gasLeft, uint256 required);
    /// @notice The payer has ended this consent.
    /// @param consentId the consent
    error ConsentAlreadyRevoked(bytes32 consentId);
    /// @notice The consent has ended by its own terms.
    /// @param timestamp now
    /// @param end the first second without a charge
    error ConsentOver(uint256 timestamp, uint40 end);
    /// @notice The charge's terms are not those that the payer consented to, or would only be held.
    /// @param consentId the consent
    /// @param id the payment
    error TermsDifferFromConsent(bytes32 consentId, bytes32 id);
    /// @notice The charge is above the consent's cap.
    /// @param amount base units of the charge
    /// @param capPerPeriod the cap
    error AmountAboveCap(uint128 amount, uint128 capPerPeriod);
    /// @notice The charge's terms do not carry the intent id of this consent and period.
    /// @param actual the terms' intent id
    /// @param required the value that chargeIntentId returns
    error WrongIntentId(bytes32 actual, bytes32 required);
    /// @notice This period, or a later one, was charged before.
    /// @param period the period
    /// @param nextPeriod the lowest one that may still be charged
    error PeriodAlreadyCharged(uint32 period, uint32 nextPeriod);
    /// @notice It is too early or too late to charge this period.
    /// @param timestamp now
    /// @param from the first second of the period
    /// @param before the first second too late: that of the period after the next
    error PeriodNotOpen(uint256 timestamp, uint40 from, uint40 before);
    /// @notice The consent's periods have no length.
    /// @param unit the consent's unit, which is 0 or 1
    /// @param count how many of them a period has
    error InvalidPeriodLength(uint8 unit, uint32 count);
    /// @notice The period begins later than a timestamp of 40 bits can express.
    /// @param start the second at which it would begin
    /// @param latest the latest second that can be expressed
    error PeriodOutOfRange(uint256 start, uint256 latest);
    /// @notice Nothing was credited to the recipient in this token, or it was claimed.
    /// @param recipient whose credit it would be
    /// @param token an ERC-20, or zero for the native coin
    error NothingToClaim(address recipient, address token);
    /// @notice A credit in a token goes to its recipient only; a credit in the native coin goes to any address except zero
    ///         and the escrow.
    /// @param to the target of the claim
    error InvalidClaimTarget(address to);
    /// @notice The target did not accept the coin; the credit remains.
    /// @param to the target of the claim
    /// @param amount base units of the credit
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
    /// @param terms the payment's terms; the caller is their payer
    /// @param operatorSignature the operator's signature over the terms
    function authorize(PaymentTerms calldata terms, bytes calldata operatorSignature) external payable;

    /// @notice Anybody relays a payment that the payer signed (these terms, EIP-712) beside an EIP-2612 permit for the
    ///         amount. A permit that fails is no fault while the allowance covers the amount.
    /// @param terms the payment's terms, in a token
    /// @param operatorSignature the operator's signature over the terms
    /// @param payerSignature the payer's signature over the terms
    /// @param permitDeadline the permit's deadline
    /// @param v last part of the permit's signature
    /// @param r first part of it
    /// @param s second part of it
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
    /// @param terms the payment's terms, in a token
    /// @param operatorSignature the operator's signature over the terms
    /// @param payerSignature the payer's signature over the terms
    function authorizeWithAllowance(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata payerSignature
    ) external;

    /// @notice Anybody relays an ERC-3009 receiveWithAuthorization whose nonce is the payment's id, validAfter 0.
    /// @param terms the payment's terms, in a token
    /// @param operatorSignature the operator's signature over the terms
    /// @param validBefore the authorization's first second too late
    /// @param receiveSignature the payer's signature under the token's own domain; 65 bytes are given to the token in
    ///        three parts, anything else as it is
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
    ///         the payment is not authorized and still can be, until authorizeBy, so that no third party can undo a
    ///         payment that arrives in parts. An authorizeBy further away than a payment may have does not count.
    /// @param terms the terms, of another chain too: they have the same deposit address here
    /// @param token any ERC-20, or zero for the native coin
    function returnDeposit(PaymentTerms calldata terms, address token) external;

    /// @notice Operator or merchant keeps `amount`; the rest goes back to the payer in the same call.
    /// @param terms the terms of a hold, until captureBy
    /// @param amount base units to keep; at least 1
    /// @param expectedLeft what the caller takes to be left, so that two calls never act on one state
    function capture(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external;
    /// @notice Operator or merchant gives an uncaptured hold back to the payer, whole.
    /// @param terms the terms of a hold
    function void(PaymentTerms calldata terms) external;
    /// @notice After captureBy anybody gives an uncaptured hold back to the payer, whole.
    /// @param terms the terms of a hold
    function reclaim(PaymentTerms calldata terms) external;
    /// @notice Operator or merchant gives `amount` of a captured payment back, without a fee; all of it ends a dispute too.
    /// @param terms the terms of a captured payment, disputed or not
    /// @param amount base units to give back; at least 1
    /// @param expectedLeft what the caller takes to be left, so that two calls never act on one state
    function refund(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external;
    /// @notice From capturedAt + timelock on, anybody pays an undisputed payment out to merchant and fee recipient.
    /// @param terms the terms of a captured payment
    function settle(PaymentTerms calldata terms) external;
    /// @notice Before capturedAt + disputeWindow the payer stops the settlement until the dispute is resolved.
    /// @param terms the terms of a captured payment; the caller is their payer
    function dispute(PaymentTerms calldata terms) external;
    /// @notice Anybody relays the payer's `Dispute(bytes32 id)` signature.
    /// @param terms the terms of a captured payment
    /// @param payerSignature the payer's signature over the dispute
    function disputeWithSignature(PaymentTerms calldata terms, bytes calldata payerSignature) external;
    /// @notice The arbiter splits what is left; the fee is taken from the merchant's share only.
    /// @param terms the terms of a disputed payment; the caller is their arbiter
    /// @param payerBps the payer's share in basis points
    function resolve(PaymentTerms calldata terms, uint16 payerBps) external;
    /// @notice Operator or merchant ends a dispute in favour of the payer.
    /// @param terms the terms of a disputed payment
    function concede(PaymentTerms calldata terms) external;
    /// @notice From disputedAt + disputeTimeout on, anybody splits what is left by the signed timeoutPayerBps.
    /// @param terms the terms of a disputed payment
    function resolveByTimeout(PaymentTerms calldata terms) external;
    /// @notice Anybody charges a period, with the payer's signature on the consent and the operator's on
    ///         `Charge(bytes32 consentId,uint32 period,bytes32 id)`.
    /// @param consent the payer's consent
    /// @param period the period to charge; 0 is the first
    /// @param terms the terms of the period's payment, captured at once, whose intent id is that of chargeIntentId
    /// @param operatorSignature the operator's signature over the charge
    /// @param consentSignature the payer's signature over the consent
    function charge(
        RecurringConsent calldata consent,
        uint32 period,
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata consentSignature
    ) external;
    /// @notice The consent's payer ends it at once; charged payments stay as they are.
    /// @param consent the consent; the caller is its payer
    function revoke(RecurringConsent calldata consent) external;
    /// @notice The caller takes all that was credited to it in this token: the native coin to an address of its choice,
    ///         a token to itself only, so that nobody walks around the token's rules through the escrow.
    /// @param token an ERC-20, or zero for the native coin
    /// @param to the caller itself for an ERC-20; for the native coin any address but zero and the escrow
    function claim(address token, address to) external;
    /// @notice Anybody pays a recipient all that was credited to it in this token, or reverts and leaves the credit.
    /// @param recipient who is owed the credit, and who alone is paid
    /// @param token an ERC-20, or zero for the native coin
    function claimFor(address recipient, address token) external;

    /// @notice The terms' EIP-712 struct hash: the payment's id, whatever the chain and contract.
    /// @param terms the payment's terms
    /// @return id the payment's id
    function idOf(PaymentTerms calldata terms) external pure returns (bytes32 id);
    /// @notice The address to which a payer sends the amount of these terms. It follows from this contract's address and
    ///         the terms alone, and is the same on every chain.
    /// @param terms the payment's terms
    /// @return where to send the payment's token; a transfer of anything else is returned to the payer on demand
    function depositAddressOf(PaymentTerms calldata terms) external view returns (address);
    /// @notice The consent's EIP-712 struct hash, whatever the chain and contract.
    /// @param consent the payer's consent
    /// @return consentId the consent's id
    function consentIdOf(RecurringConsent calldata consent) external pure returns (bytes32 consentId);
    /// @notice What is signed: the EIP-712 digest of a struct hash on this contract and the chain's current id. Payer
    ///         and operator sign that of the payment's id, a subscriber that of the consent's.
    /// @param structHash a payment's id, a consent's, or the struct hash of a dispute or a charge
    /// @return the digest
    function digestOf(bytes32 structHash) external view returns (bytes32);
    /// @notice The intent id that the charge of a period must carry: keccak256(abi.encode(consentId, period)).
    /// @param consentId the consent's id
    /// @param period the period; 0 is the first
    /// @return the intent id
    function chargeIntentId(bytes32 consentId, uint32 period) external pure returns (bytes32);
    /// @notice A payment's state; while its token is being asked to pay, and so may call anybody, NONE.
    /// @param id the payment's id
    /// @return status where the payment is
    /// @return left base units still in escrow
    /// @return capturedAt the second of the capture; zero before it
    /// @return disputedAt the second of the dispute; zero without one
    function stateOf(bytes32 id)
        external
        view
        returns (Status status, uint128 left, uint40 capturedAt, uint40 disputedAt);
    /// @notice A consent's state.
    /// @param consentId the consent's id
    /// @return revoked whether the payer ended it
    /// @return nextPeriod the lowest period that may still be charged; 0 before the first charge
    function consentState(bytes32 consentId) external view returns (bool revoked, uint32 nextPeriod);
    /// @notice First second of a period.
    /// @param consent the payer's consent
    /// @param period the period; 0 is the first
    /// @return unix seconds
    function periodStart(RecurringConsent calldata consent, uint32 period) external pure returns (uint40);
    /// @notice What a recipient may claim.
    /// @param recipient whose credit it is
    /// @param token an ERC-20, or zero for the native coin
    /// @return base units
    function creditOf(address recipient, address token) external view returns (uint256);
}
