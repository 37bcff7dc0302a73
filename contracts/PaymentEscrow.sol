// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Calendar} from "./Calendar.sol";
import {DepositBox, IDepositBox} from "./DepositBox.sol";
import {IERC3009} from "./IERC3009.sol";
import {IPaymentEscrow} from "./IPaymentEscrow.sol";
import {PackedState, pack} from "./PackedState.sol";

/// @title A payment escrow without an owner
/// @notice Holds payments from authorization to settlement. There is no owner, no upgrade, no pause and no fee of its
///         own: every rule of a payment is in the terms that its operator and its payer both agreed to, and from every
///         state time alone makes some public call that empties the payment.
/// @dev Every function reads the same way: check, check, update state, emit, move money. The only callees are the
///      payment's token, its parties, its deposit box, and precompiles. No constructor arguments and no immutables, so
///      that creation code, address and runtime code are the same on every chain.
contract PaymentEscrow is IPaymentEscrow, IERC5267, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @dev What is kept of a consent, by its id.
    /// @param revoked whether the payer ended it
    /// @param nextPeriod the lowest period that may still be charged
    struct ConsentState {
        bool revoked;
        uint32 nextPeriod;
    }

    /// @dev The whole, in basis points.
    uint16 private constant MAX_BPS = 10_000;
    uint16 private constant MAX_FEE_BPS = 1_000;
    /// @dev From the second of the authorization to captureBy.
    uint256 private constant MAX_HOLD = 90 days;
    uint32 private constant MAX_TIMELOCK = 180 days;
    uint32 private constant MIN_DISPUTE_TIMEOUT = 7 days;
    uint32 private constant MAX_DISPUTE_TIMEOUT = 90 days;

    /// @dev Gas a recipient of the native coin may spend, and a token's transfer. What needs more is credited, and
    ///      claimed without a bound.
    uint256 private constant NATIVE_PUSH_GAS = 50_000;
    uint256 private constant TOKEN_PUSH_GAS = 200_000;
    /// @dev What a push costs around its callee: a call that carries value to a new account (36,600) and, if it fails,
    ///      the credit's slot and event (under 27,000).
    uint256 private constant PUSH_OVERHEAD_GAS = 70_000;
    /// @dev A call gets at most 63/64 of the gas there is.
    uint256 private constant NATIVE_FLOOR_GAS = NATIVE_PUSH_GAS * 64 / 63 + PUSH_OVERHEAD_GAS;
    uint256 private constant TOKEN_FLOOR_GAS = TOKEN_PUSH_GAS * 64 / 63 + PUSH_OVERHEAD_GAS;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("Sluice");
    bytes32 private constant VERSION_HASH = keccak256("2");
    bytes32 private constant TERMS_TYPEHASH = keccak256(
        "PaymentTerms(bytes32 intentId,address payer,address merchant,address token,uint128 amount,uint40 authorizeBy,uint40 captureBy,uint32 timelock,uint32 disputeWindow,uint32 disputeTimeout,uint16 timeoutPayerBps,uint16 feeBps,address feeRecipient,address operator,address arbiter,bytes32 quoteHash,bool captureOnAuthorize)"
    );
    bytes32 private constant CONSENT_TYPEHASH = keccak256(
        "RecurringConsent(bytes32 subscriptionId,address payer,address merchant,address token,uint128 capPerPeriod,uint40 start,uint8 unit,uint32 count,uint40 end,uint16 feeBps,address feeRecipient,address operator,address arbiter,uint32 timelock,uint32 disputeWindow,uint32 disputeTimeout,uint16 timeoutPayerBps)"
    );
    bytes32 private constant DISPUTE_TYPEHASH = keccak256("Dispute(bytes32 id)");
    bytes32 private constant CHARGE_TYPEHASH = keccak256("Charge(bytes32 consentId,uint32 period,bytes32 id)");

    /// @dev All there is of a payment but its terms, by its id.
    mapping(bytes32 id => PackedState) private _states;
    mapping(bytes32 consentId => ConsentState) private _consents;
    /// @dev Base units that could not be pushed.
    mapping(address recipient => mapping(address token => uint256)) private _credits;
    /// @dev The payment whose token is being asked to pay, for which stateOf still answers NONE. In transient storage:
    ///      200 gas, and a revert of the pull takes it back too.
    bytes32 private transient _collecting;
    /// @dev The deposit box whose native coin is being collected: the only account that may send coin, in this call only.
    address private transient _payingBox;

    // Authorization: two consents, always. The operator's is its signature on the terms; the payer's is the call
    // itself, its signature on the same terms, or an ERC-3009 authorization whose nonce is the payment's id.

    /// @inheritdoc IPaymentEscrow
    function authorize(PaymentTerms calldata terms, bytes calldata operatorSignature) external payable nonReentrant {
        if (msg.sender != terms.payer) revert NotPayer(msg.sender, terms.payer);
        uint256 value = terms.token == address(0) ? terms.amount : 0;
        if (msg.value != value) revert WrongValue(msg.value, value);
        bytes32 id = idOf(terms);
        _requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        if (value == 0) _pull(terms);
    }

    /// @inheritdoc IPaymentEscrow
    function authorizeWithPermit(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata payerSignature,
        uint256 permitDeadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant {
        _openSigned(terms, operatorSignature, payerSignature);
        // Anybody may have used the permit already: only the allowance counts, and the transfer checks that.
        try IERC20Permit(terms.token).permit(terms.payer, address(this), terms.amount, permitDeadline, v, r, s) {}
            catch {}
        _pull(terms);
    }

    /// @inheritdoc IPaymentEscrow
    function authorizeWithAllowance(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata payerSignature
    ) external nonReentrant {
        _openSigned(terms, operatorSignature, payerSignature);
        _pull(terms);
    }

    /// @inheritdoc IPaymentEscrow
    function authorizeWithReceive(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        uint256 validBefore,
        bytes calldata receiveSignature
    ) external nonReentrant {
        bytes32 id = idOf(terms);
        _requireToken(id, terms);
        _requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        _receive(id, terms, validBefore, receiveSignature);
    }

    // Deposits, for wallets that can only send. Each set of terms has an address of its own, and whoever sends there
    // consents to them. The box at that address is deployed when it is first needed.

    /// @dev The native coin comes in by authorize, and here from a deposit box.
    receive() external payable {
        if (msg.sender != _payingBox) revert UnexpectedCoin(msg.sender, msg.value);
    }

    /// @inheritdoc IPaymentEscrow
    function authorizeFromDeposit(PaymentTerms calldata terms, bytes calldata operatorSignature)
        external
        nonReentrant
    {
        bytes32 id = idOf(terms);
        _requireSignature(digestOf(id), terms.operator, operatorSignature);
        _open(id, terms);
        _collect(id, terms);
    }

    /// @inheritdoc IPaymentEscrow
    /// @dev The caller names the token, so that only the box calls it: as the box, it may move what the box has, and
    ///      nothing of the escrow's. The floor keeps a third party from leaving a payer's contract too little gas.
    function returnDeposit(PaymentTerms calldata terms, address token) external nonReentrant {
        bytes32 id = idOf(terms);
        address payer = terms.payer;
        _requireNoSink(payer, token);
        bool reserved = _isReserved(id, terms);
        if (reserved && token == terms.token) revert NotOperator(msg.sender, terms.operator);
        IDepositBox box = _deployedBox(id);
        uint256 amount = box.held(token);
        if (amount == 0) revert NothingToReturn(address(box), token);
        uint256 kept = reserved ? box.held(terms.token) : 0;
        emit DepositReturned(id, terms.intentId, payer, token, amount);
        _requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        if (!box.send(token, payer, amount)) revert DepositNotSent(address(box), token, payer, amount);
        // Some chains have a second address for one token, or a token's address for the native coin.
        if (reserved && box.held(terms.token) < kept) revert NotOperator(msg.sender, terms.operator);
    }

    // A hold: captured, or all of it goes back.

    /// @inheritdoc IPaymentEscrow
    function capture(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external nonReentrant {
        _requireOperatorOrMerchant(terms);
        (bytes32 id, PackedState state) = _load(terms, Status.AUTHORIZED);
        if (block.timestamp > terms.captureBy) revert CaptureByPassed(block.timestamp, terms.captureBy);
        _requireAmount(amount, state.left(), expectedLeft);
        uint128 returned = _rest(state.left(), amount);
        _states[id] = pack(amount, uint40(block.timestamp), 0, Status.CAPTURED);
        emit Captured(id, terms.intentId, terms.payer, amount, returned, amount);
        _push(id, terms.token, terms.payer, returned, Role.PAYER);
    }

    /// @inheritdoc IPaymentEscrow
    function void(PaymentTerms calldata terms) external nonReentrant {
        _requireOperatorOrMerchant(terms);
        (bytes32 id, PackedState state) = _load(terms, Status.AUTHORIZED);
        _close(id, state, Status.VOIDED);
        emit Voided(id, terms.intentId, terms.payer, state.left(), 0);
        _push(id, terms.token, terms.payer, state.left(), Role.PAYER);
    }

    /// @inheritdoc IPaymentEscrow
    function reclaim(PaymentTerms calldata terms) external nonReentrant {
        (bytes32 id, PackedState state) = _load(terms, Status.AUTHORIZED);
        if (block.timestamp <= terms.captureBy) revert CaptureByNotPassed(block.timestamp, terms.captureBy);
        _close(id, state, Status.RECLAIMED);
        emit Reclaimed(id, terms.intentId, terms.payer, state.left(), 0);
        _push(id, terms.token, terms.payer, state.left(), Role.PAYER);
    }

    // A captured payment: refunded, settled after its timelock, or disputed and split.

    /// @inheritdoc IPaymentEscrow
    function refund(PaymentTerms calldata terms, uint128 amount, uint128 expectedLeft) external nonReentrant {
        _requireOperatorOrMerchant(terms);
        (bytes32 id, PackedState state) = _load(terms, Status.CAPTURED);
        _requireAmount(amount, state.left(), expectedLeft);
        uint128 left = _rest(state.left(), amount);
        _states[id] = pack(left, state.capturedAt(), state.disputedAt(), left == 0 ? Status.REFUNDED : Status.CAPTURED);
        emit Refunded(id, terms.intentId, terms.payer, amount, left);
        _push(id, terms.token, terms.payer, amount, Role.PAYER);
    }

    /// @inheritdoc IPaymentEscrow
    function settle(PaymentTerms calldata terms) external nonReentrant {
        (bytes32 id, PackedState state) = _load(terms, Status.CAPTURED);
        if (state.disputedAt() != 0) revert AlreadyDisputed(id, state.disputedAt());
        uint256 settleFrom = uint256(state.capturedAt()) + terms.timelock;
        if (block.timestamp < settleFrom) revert TimelockNotOver(block.timestamp, settleFrom);
        uint128 fee = _shareOf(state.left(), terms.feeBps);
        uint128 net = _rest(state.left(), fee);
        _close(id, state, Status.SETTLED);
        emit Settled(id, terms.intentId, terms.payer, net, fee, 0);
        address token = terms.token;
        _push(id, token, terms.merchant, net, Role.MERCHANT);
        _push(id, token, terms.feeRecipient, fee, Role.FEE_RECIPIENT);
    }

    /// @inheritdoc IPaymentEscrow
    function dispute(PaymentTerms calldata terms) external nonReentrant {
        if (msg.sender != terms.payer) revert NotPayer(msg.sender, terms.payer);
        _dispute(terms);
    }

    /// @inheritdoc IPaymentEscrow
    function disputeWithSignature(PaymentTerms calldata terms, bytes calldata payerSignature) external nonReentrant {
        bytes32 digest = digestOf(keccak256(abi.encode(DISPUTE_TYPEHASH, idOf(terms))));
        if (!_isSigned(digest, terms.payer, payerSignature)) revert InvalidPayerSignature(digest, terms.payer);
        _dispute(terms);
    }

    /// @inheritdoc IPaymentEscrow
    function resolve(PaymentTerms calldata terms, uint16 payerBps) external nonReentrant {
        if (msg.sender != terms.arbiter) revert NotArbiter(msg.sender, terms.arbiter);
        if (payerBps > MAX_BPS) revert ShareAboveMax(payerBps, MAX_BPS);
        (bytes32 id, PackedState state) = _loadDisputed(terms);
        _resolve(id, state, terms, Resolution.ARBITER, payerBps);
    }

    /// @inheritdoc IPaymentEscrow
    function concede(PaymentTerms calldata terms) external nonReentrant {
        _requireOperatorOrMerchant(terms);
        (bytes32 id, PackedState state) = _loadDisputed(terms);
        _resolve(id, state, terms, Resolution.CONCEDED, MAX_BPS);
    }

    /// @inheritdoc IPaymentEscrow
    function resolveByTimeout(PaymentTerms calldata terms) external nonReentrant {
        (bytes32 id, PackedState state) = _loadDisputed(terms);
        uint256 resolveFrom = uint256(state.disputedAt()) + terms.disputeTimeout;
        if (block.timestamp < resolveFrom) revert DisputeTimeoutNotOver(block.timestamp, resolveFrom);
        _resolve(id, state, terms, Resolution.TIMEOUT, terms.timeoutPayerBps);
    }

    // Renewals: one signature of the payer, at most one capped charge a period.

    /// @inheritdoc IPaymentEscrow
    function charge(
        RecurringConsent calldata consent,
        uint32 period,
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata consentSignature
    ) external nonReentrant {
        bytes32 consentId = consentIdOf(consent);
        bytes32 id = idOf(terms);
        _requireToken(id, terms);
        _requireConsented(consentId, consent, id, terms);
        bytes32 intentId = chargeIntentId(consentId, period);
        if (terms.intentId != intentId) revert WrongIntentId(terms.intentId, intentId);
        _requirePeriod(consentId, consent, period);
        _requireSignature(
            digestOf(keccak256(abi.encode(CHARGE_TYPEHASH, consentId, period, id))), terms.operator, operatorSignature
        );
        bytes32 digest = digestOf(consentId);
        if (!_isSigned(digest, terms.payer, consentSignature)) revert InvalidPayerSignature(digest, terms.payer);
        _consents[consentId].nextPeriod = period + 1;
        _open(id, terms);
        emit Charged(consentId, id, terms.payer, consent.subscriptionId, period);
        _pull(terms);
    }

    /// @inheritdoc IPaymentEscrow
    function revoke(RecurringConsent calldata consent) external nonReentrant {
        if (msg.sender != consent.payer) revert NotPayer(msg.sender, consent.payer);
        bytes32 consentId = consentIdOf(consent);
        if (_consents[consentId].revoked) revert ConsentAlreadyRevoked(consentId);
        _consents[consentId].revoked = true;
        emit Revoked(consentId, consent.subscriptionId, consent.payer);
    }

    // Credits: what could not be pushed waits for its recipient, and for nobody else.

    /// @inheritdoc IPaymentEscrow
    function claim(address token, address to) external nonReentrant {
        if (token == address(0)) {
            if (to == address(0) || to == address(this)) revert InvalidClaimTarget(to);
        } else if (to != msg.sender) {
            revert InvalidClaimTarget(to);
        }
        _claim(msg.sender, token, to);
    }

    /// @inheritdoc IPaymentEscrow
    function claimFor(address recipient, address token) external nonReentrant {
        _requireGas(token == address(0) ? NATIVE_FLOOR_GAS : TOKEN_FLOOR_GAS);
        _claim(recipient, token, recipient);
    }

    // Reading. Terms and consents are both 17 static words, whose ABI encoding is what EIP-712 hashes: they are hashed
    // as they lie in calldata. A word with dirty upper bits makes an id of its own, and reading it reverts. Ids leave
    // the domain out, so that a payment stays what it is when its chain changes its id; signatures do not.

    /// @inheritdoc IPaymentEscrow
    function idOf(PaymentTerms calldata terms) public pure returns (bytes32 id) {
        bytes32 typeHash = TERMS_TYPEHASH;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, typeHash)
            calldatacopy(add(pointer, 0x20), terms, 0x220)
            id := keccak256(pointer, 0x240)
        }
    }

    /// @inheritdoc IPaymentEscrow
    function depositAddressOf(PaymentTerms calldata terms) external view returns (address) {
        return _boxAddress(idOf(terms));
    }

    /// @inheritdoc IPaymentEscrow
    function consentIdOf(RecurringConsent calldata consent) public pure returns (bytes32 consentId) {
        bytes32 typeHash = CONSENT_TYPEHASH;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, typeHash)
            calldatacopy(add(pointer, 0x20), consent, 0x220)
            consentId := keccak256(pointer, 0x240)
        }
    }

    /// @inheritdoc IPaymentEscrow
    /// @dev The domain is computed at each call, not cached in immutables: the runtime code is then the same on every
    ///      chain, and a chain that splits does not share signatures.
    function digestOf(bytes32 structHash) public view returns (bytes32) {
        bytes32 domainType = DOMAIN_TYPEHASH;
        bytes32 nameHash = NAME_HASH;
        bytes32 versionHash = VERSION_HASH;
        bytes32 domain;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, domainType)
            mstore(add(pointer, 0x20), nameHash)
            mstore(add(pointer, 0x40), versionHash)
            mstore(add(pointer, 0x60), chainid())
            mstore(add(pointer, 0x80), address())
            domain := keccak256(pointer, 0xa0)
        }
        return MessageHashUtils.toTypedDataHash(domain, structHash);
    }

    /// @inheritdoc IPaymentEscrow
    function chargeIntentId(bytes32 consentId, uint32 period) public pure returns (bytes32) {
        return keccak256(abi.encode(consentId, period));
    }

    /// @inheritdoc IPaymentEscrow
    function stateOf(bytes32 id)
        external
        view
        returns (Status status, uint128 left, uint40 capturedAt, uint40 disputedAt)
    {
        if (id == _collecting) return (Status.NONE, 0, 0, 0);
        PackedState state = _states[id];
        return (state.status(), state.left(), state.capturedAt(), state.disputedAt());
    }

    /// @inheritdoc IPaymentEscrow
    function consentState(bytes32 consentId) external view returns (bool revoked, uint32 nextPeriod) {
        ConsentState memory state = _consents[consentId];
        return (state.revoked, state.nextPeriod);
    }

    /// @inheritdoc IPaymentEscrow
    function periodStart(RecurringConsent calldata consent, uint32 period) external pure returns (uint40) {
        return _periodStart(consent, period);
    }

    /// @inheritdoc IPaymentEscrow
    function creditOf(address recipient, address token) external view returns (uint256) {
        return _credits[recipient][token];
    }

    /// @inheritdoc IERC5267
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (0x0f, "Sluice", "2", block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    // Opening and collecting.

    /// @dev Opens a payment that the payer agreed to by signature.
    function _openSigned(
        PaymentTerms calldata terms,
        bytes calldata operatorSignature,
        bytes calldata payerSignature
    ) private {
        bytes32 id = idOf(terms);
        _requireToken(id, terms);
        bytes32 digest = digestOf(id);
        _requireSignature(digest, terms.operator, operatorSignature);
        if (!_isSigned(digest, terms.payer, payerSignature)) revert InvalidPayerSignature(digest, terms.payer);
        _open(id, terms);
    }

    /// @dev The caller has checked both consents and collects next. Status NONE is left once and never reached again,
    ///      so no terms are collected twice. The native coin is here already; a token has yet to pay.
    function _open(bytes32 id, PaymentTerms calldata terms) private {
        _requireStatus(id, _states[id].status(), Status.NONE);
        _requireBounds(terms);
        uint128 amount = terms.amount;
        bool captured = terms.captureOnAuthorize;
        if (captured) _states[id] = pack(amount, uint40(block.timestamp), 0, Status.CAPTURED);
        else _states[id] = pack(amount, 0, 0, Status.AUTHORIZED);
        _emitAuthorized(id, terms);
        if (captured) emit Captured(id, terms.intentId, terms.payer, amount, 0, amount);
        if (terms.token != address(0)) _collecting = id;
    }

    /// @dev `emit Authorized(id, terms.intentId, terms.payer, terms, terms.amount)`, with the terms' words copied from
    ///      calldata as they are: _requireBounds has read, and so validated, every field shorter than a word.
    function _emitAuthorized(bytes32 id, PaymentTerms calldata terms) private {
        bytes32 topic = Authorized.selector;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            calldatacopy(pointer, terms, 0x220)
            mstore(add(pointer, 0x220), calldataload(add(terms, 0x80)))
            log4(pointer, 0x240, topic, id, calldataload(terms), calldataload(add(terms, 0x20)))
        }
    }

    /// @dev Without these bounds "time alone empties it" would hold only in words.
    function _requireBounds(PaymentTerms calldata terms) private view {
        _requireParties(terms);
        if (terms.amount == 0) revert ZeroAmount();
        uint40 authorizeBy = terms.authorizeBy;
        uint40 captureBy = terms.captureBy;
        if (block.timestamp > authorizeBy) revert AuthorizeByPassed(block.timestamp, authorizeBy);
        if (captureBy < authorizeBy) revert CaptureByBeforeAuthorizeBy(captureBy, authorizeBy);
        uint256 latest = block.timestamp + MAX_HOLD;
        if (captureBy > latest) revert CaptureByTooLate(captureBy, latest);
        _requireDisputeBounds(terms);
    }

    /// @dev Whoever is to be paid must be able to use the money: the escrow and the token never could.
    function _requireParties(PaymentTerms calldata terms) private view {
        if (terms.payer == address(0) || terms.merchant == address(0) || terms.operator == address(0)) {
            revert ZeroParty(terms.payer, terms.merchant, terms.operator);
        }
        uint16 feeBps = terms.feeBps;
        address feeRecipient = terms.feeRecipient;
        if (feeBps > MAX_FEE_BPS) revert FeeAboveMax(feeBps, MAX_FEE_BPS);
        _requireNoSink(terms.payer, terms.token);
        _requireNoSink(terms.merchant, terms.token);
        if (feeRecipient != address(0)) _requireNoSink(feeRecipient, terms.token);
        else if (feeBps > 0) revert FeeRecipientMissing(feeBps);
        if (terms.arbiter == terms.operator) revert ArbiterIsOperator(terms.arbiter);
    }

    function _requireNoSink(address party, address token) private view {
        if (party == address(this) || party == token) revert SinkParty(party);
    }

    function _requireDisputeBounds(PaymentTerms calldata terms) private pure {
        uint32 window = terms.disputeWindow;
        uint32 timelock = terms.timelock;
        uint32 timeout = terms.disputeTimeout;
        if (timelock > MAX_TIMELOCK) revert TimelockTooLong(timelock, MAX_TIMELOCK);
        if (window > timelock) revert DisputeWindowAboveTimelock(window, timelock);
        if ((terms.arbiter == address(0)) != (window == 0)) revert ArbiterMismatch(terms.arbiter, window);
        if (window > 0 && (timeout < MIN_DISPUTE_TIMEOUT || timeout > MAX_DISPUTE_TIMEOUT)) {
            revert DisputeTimeoutOutOfBounds(timeout, MIN_DISPUTE_TIMEOUT, MAX_DISPUTE_TIMEOUT);
        }
        if (terms.timeoutPayerBps > MAX_BPS) revert ShareAboveMax(terms.timeoutPayerBps, MAX_BPS);
    }

    /// @dev Collects exactly the amount out of the payer's allowance.
    function _pull(PaymentTerms calldata terms) private {
        IERC20 token = IERC20(terms.token);
        uint256 amount = terms.amount;
        uint256 required = token.balanceOf(address(this)) + amount;
        token.safeTransferFrom(terms.payer, address(this), amount);
        _finishCollecting(address(token), required);
    }

    /// @dev Collects exactly the amount by ERC-3009. The token checks the payer's signature; the id as nonce binds it
    ///      to these terms.
    function _receive(bytes32 id, PaymentTerms calldata terms, uint256 validBefore, bytes calldata signature) private {
        IERC20 token = IERC20(terms.token);
        uint256 amount = terms.amount;
        uint256 required = token.balanceOf(address(this)) + amount;
        if (signature.length == 65) {
            _receiveKeySigned(id, terms, validBefore, signature);
        } else {
            IERC3009(address(token))
                .receiveWithAuthorization(terms.payer, address(this), amount, 0, validBefore, id, signature);
        }
        _finishCollecting(address(token), required);
    }

    /// @dev Some tokens have only the form that takes a key's signature in three parts.
    function _receiveKeySigned(bytes32 id, PaymentTerms calldata terms, uint256 validBefore, bytes calldata signature)
        private
    {
        (uint8 v, bytes32 r, bytes32 s) = ECDSA.parseCalldata(signature);
        IERC3009(terms.token)
            .receiveWithAuthorization(terms.payer, address(this), terms.amount, 0, validBefore, id, v, r, s);
    }

    /// @dev Collects exactly the amount from the payment's deposit box.
    function _collect(bytes32 id, PaymentTerms calldata terms) private {
        address token = terms.token;
        uint256 amount = terms.amount;
        IDepositBox box = _deployedBox(id);
        uint256 deposited = box.held(token);
        if (deposited < amount) revert DepositTooLow(deposited, amount);
        uint256 required = _balanceOf(token) + amount;
        if (token == address(0)) _payingBox = address(box);
        if (!box.send(token, address(this), amount)) revert DepositNotSent(address(box), token, address(this), amount);
        _payingBox = address(0);
        _finishCollecting(token, required);
    }

    /// @dev Whether only the operator may return the terms' own token: the payment may still be authorized, and the
    ///      caller is somebody else. Terms beyond MAX_HOLD cannot be authorized, so that they reserve nothing: no
    ///      operator keeps a deposit longer than that.
    function _isReserved(bytes32 id, PaymentTerms calldata terms) private view returns (bool) {
        uint40 authorizeBy = terms.authorizeBy;
        return msg.sender != terms.operator && _states[id].status() == Status.NONE && block.timestamp <= authorizeBy
            && authorizeBy <= block.timestamp + MAX_HOLD;
    }

    /// @dev Code at this address is the box's own, because the address follows from its creation code.
    function _deployedBox(bytes32 id) private returns (IDepositBox) {
        address box = _boxAddress(id);
        if (box.code.length == 0) new DepositBox{salt: id}();
        return IDepositBox(box);
    }

    function _boxAddress(bytes32 id) private view returns (address) {
        return Create2.computeAddress(id, keccak256(type(DepositBox).creationCode), address(this));
    }

    /// @dev What the escrow has of a payment's token, the native coin included.
    function _balanceOf(address token) private view returns (uint256) {
        return token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
    }

    /// @dev Exactly the amount has arrived: from here on stateOf shows the payment.
    function _finishCollecting(address token, uint256 required) private {
        uint256 actual = _balanceOf(token);
        if (actual != required) revert WrongBalance(actual, required);
        _collecting = bytes32(0);
    }

    function _requireToken(bytes32 id, PaymentTerms calldata terms) private pure {
        if (terms.token == address(0)) revert NativeCoinNotPullable(id);
    }

    // State.

    function _load(PaymentTerms calldata terms, Status required)
        private
        view
        returns (bytes32 id, PackedState state)
    {
        id = idOf(terms);
        state = _states[id];
        _requireStatus(id, state.status(), required);
    }

    function _loadDisputed(PaymentTerms calldata terms) private view returns (bytes32 id, PackedState state) {
        (id, state) = _load(terms, Status.CAPTURED);
        if (state.disputedAt() == 0) revert NotDisputed(id);
    }

    /// @dev Writes a final status: nothing is left; when it was captured and disputed stays readable.
    function _close(bytes32 id, PackedState state, Status status) private {
        _states[id] = pack(0, state.capturedAt(), state.disputedAt(), status);
    }

    function _dispute(PaymentTerms calldata terms) private {
        (bytes32 id, PackedState state) = _load(terms, Status.CAPTURED);
        if (state.disputedAt() != 0) revert AlreadyDisputed(id, state.disputedAt());
        uint256 disputeBefore = uint256(state.capturedAt()) + terms.disputeWindow;
        if (block.timestamp >= disputeBefore) revert DisputeWindowOver(block.timestamp, disputeBefore);
        _states[id] = pack(state.left(), state.capturedAt(), uint40(block.timestamp), Status.CAPTURED);
        emit Disputed(id, terms.intentId, terms.payer, state.left());
    }

    function _resolve(
        bytes32 id,
        PackedState state,
        PaymentTerms calldata terms,
        Resolution resolution,
        uint16 payerBps
    ) private {
        uint128 back = _shareOf(state.left(), payerBps);
        uint128 gross = _rest(state.left(), back);
        uint128 fee = _shareOf(gross, terms.feeBps);
        uint128 net = _rest(gross, fee);
        _close(id, state, Status.RESOLVED);
        emit Resolved(id, terms.intentId, terms.payer, resolution, payerBps, back, net, fee, 0);
        _push(id, terms.token, terms.payer, back, Role.PAYER);
        _push(id, terms.token, terms.merchant, net, Role.MERCHANT);
        _push(id, terms.token, terms.feeRecipient, fee, Role.FEE_RECIPIENT);
    }

    /// @dev Rounded down; at most 10,000 basis points, so the product fits and the share is no more than the whole.
    function _shareOf(uint128 amount, uint16 bps) private pure returns (uint128) {
        unchecked {
            return uint128(uint256(amount) * bps / MAX_BPS);
        }
    }

    /// @dev The part was checked, or computed by _shareOf, to be no more than the whole.
    function _rest(uint128 whole, uint128 part) private pure returns (uint128) {
        unchecked {
            return whole - part;
        }
    }

    function _requireStatus(bytes32 id, Status actual, Status required) private pure {
        if (actual != required) revert WrongStatus(id, actual, required);
    }

    function _requireAmount(uint128 amount, uint128 left, uint128 expectedLeft) private pure {
        if (left != expectedLeft) revert WrongLeft(left, expectedLeft);
        if (amount == 0) revert ZeroAmount();
        if (amount > left) revert AmountAboveLeft(amount, left);
    }

    function _requireOperatorOrMerchant(PaymentTerms calldata terms) private view {
        if (msg.sender != terms.operator && msg.sender != terms.merchant) {
            revert NotOperatorOrMerchant(msg.sender, terms.operator, terms.merchant);
        }
    }

    // Consents.

    /// @dev Every field that decides where money goes, how much and under which rules is the one the payer signed.
    function _requireConsented(
        bytes32 consentId,
        RecurringConsent calldata consent,
        bytes32 id,
        PaymentTerms calldata terms
    ) private pure {
        bool same = terms.payer == consent.payer && terms.merchant == consent.merchant && terms.token == consent.token
            && terms.operator == consent.operator && terms.arbiter == consent.arbiter
            && terms.feeRecipient == consent.feeRecipient && terms.feeBps == consent.feeBps
            && terms.timelock == consent.timelock && terms.disputeWindow == consent.disputeWindow
            && terms.disputeTimeout == consent.disputeTimeout && terms.timeoutPayerBps == consent.timeoutPayerBps
            && terms.captureOnAuthorize;
        if (!same) revert TermsDifferFromConsent(consentId, id);
        if (terms.amount > consent.capPerPeriod) revert AmountAboveCap(terms.amount, consent.capPerPeriod);
    }

    /// @dev A period is open from its start until the start of the one after the next, so that a late charge is
    ///      possible and a long arrear is not.
    function _requirePeriod(bytes32 consentId, RecurringConsent calldata consent, uint32 period) private view {
        ConsentState memory state = _consents[consentId];
        if (state.revoked) revert ConsentAlreadyRevoked(consentId);
        if (period < state.nextPeriod) revert PeriodAlreadyCharged(period, state.nextPeriod);
        uint40 end = consent.end;
        if (end != 0 && block.timestamp >= end) revert ConsentOver(block.timestamp, end);
        uint40 from = _periodStart(consent, period);
        uint40 before = _periodStart(consent, uint256(period) + 2);
        if (block.timestamp < from || block.timestamp >= before) revert PeriodNotOpen(block.timestamp, from, before);
    }

    function _periodStart(RecurringConsent calldata consent, uint256 period) private pure returns (uint40) {
        if (consent.unit > 1 || consent.count == 0) revert InvalidPeriodLength(consent.unit, consent.count);
        uint256 steps = period * consent.count;
        uint256 start = consent.unit == 0 ? consent.start + steps : Calendar.addMonths(consent.start, steps);
        if (start > type(uint40).max) revert PeriodOutOfRange(start, type(uint40).max);
        return uint40(start);
    }

    // Signatures.

    function _requireSignature(bytes32 digest, address operator, bytes calldata signature) private view {
        if (!_isSigned(digest, operator, signature)) revert InvalidOperatorSignature(digest, operator);
    }

    /// @dev ECDSA first, because an EIP-7702 account has code and its key still signs so; then ERC-1271.
    function _isSigned(bytes32 digest, address signer, bytes calldata signature) private view returns (bool) {
        (address recovered, ECDSA.RecoverError failure,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (failure == ECDSA.RecoverError.NoError && recovered == signer) return true;
        return SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature);
    }

    // Money out.

    /// @dev Pays a recipient, or credits it when it cannot be paid, so that one recipient never keeps the others from
    ///      their money. The floor lets the callee have its whole stipend whatever gas the caller sent: nobody can
    ///      starve a good recipient into the credit branch.
    function _push(bytes32 id, address token, address to, uint256 amount, Role role) private {
        if (amount == 0) return;
        bool paid;
        if (token == address(0)) {
            _requireGas(NATIVE_FLOOR_GAS);
            paid = _sendNative(to, amount, NATIVE_PUSH_GAS);
        } else {
            _requireGas(TOKEN_FLOOR_GAS);
            paid = _sendToken(token, to, amount, TOKEN_PUSH_GAS);
        }
        if (!paid) {
            _credits[to][token] += amount;
            emit Credited(id, to, token, amount, role);
        }
    }

    /// @dev Pays all of a credit out, without a bound on gas, or reverts and leaves it as it was.
    function _claim(address recipient, address token, address to) private {
        uint256 amount = _credits[recipient][token];
        if (amount == 0) revert NothingToClaim(recipient, token);
        _credits[recipient][token] = 0;
        emit Claimed(recipient, token, to, amount);
        if (token != address(0)) IERC20(token).safeTransfer(to, amount);
        else if (!_sendNative(to, amount, gasleft())) revert ClaimFailed(to, amount);
    }

    function _requireGas(uint256 floor) private view {
        if (gasleft() < floor) revert GasBelowFloor(gasleft(), floor);
    }

    /// @dev Copies no return data, whose size the recipient would choose.
    function _sendNative(address to, uint256 amount, uint256 stipend) private returns (bool sent) {
        assembly ("memory-safe") {
            sent := call(stipend, to, amount, 0, 0, 0, 0)
        }
    }

    /// @dev SafeERC20's trySafeTransfer with a bound on the gas: paid if the token answers true, or nothing at all and
    ///      has code. Copies one word of return data at most.
    function _sendToken(address token, address to, uint256 amount, uint256 stipend) private returns (bool sent) {
        bytes4 selector = IERC20.transfer.selector;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, selector)
            mstore(add(pointer, 0x04), to)
            mstore(add(pointer, 0x24), amount)
            sent := call(stipend, token, 0, pointer, 0x44, 0x00, 0x20)
            switch returndatasize()
            case 0 { sent := and(sent, gt(extcodesize(token), 0)) }
            default { sent := and(sent, and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))) }
        }
    }
}
