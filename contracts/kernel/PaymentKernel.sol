// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Shares} from "./Shares.sol";

/// @title One payment of the escrow, without tokens, signatures and hashes
/// @notice The transitions, time limits, rights and splits of PaymentEscrow for one id. An id is the hash of its terms,
///         so that the terms of a payment never change: they are this contract's immutables. Money is not moved but
///         counted, once for each role, whether the role takes it or it is credited: CreditKernel follows what is
///         credited, DepositKernel what lies at the payment's deposit address. The compiler's model checker proves every assertion below for all terms, all
///         callers, all times and all sequences of calls, and the differential test runs this code beside the escrow's.
/// @dev Both consents are taken as given: whoever calls authorize has them.
contract PaymentKernel {
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

    enum Role {
        PAYER,
        MERCHANT,
        FEE_RECIPIENT
    }

    /// @dev The fields of PaymentTerms that decide a transition or a split.
    struct Terms {
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
        bool captureOnAuthorize;
    }

    uint16 private constant MAX_BPS = 10_000;
    uint16 private constant MAX_FEE_BPS = 1_000;
    uint256 private constant MAX_HOLD = 90 days;
    uint32 private constant MAX_TIMELOCK = 180 days;
    uint32 private constant MIN_DISPUTE_TIMEOUT = 7 days;
    uint32 private constant MAX_DISPUTE_TIMEOUT = 90 days;

    address private immutable payer;
    address private immutable merchant;
    address private immutable token;
    uint128 private immutable amountOfTerms;
    uint40 private immutable authorizeBy;
    uint40 private immutable captureBy;
    uint32 private immutable timelock;
    uint32 private immutable disputeWindow;
    uint32 private immutable disputeTimeout;
    uint16 private immutable timeoutPayerBps;
    uint16 private immutable feeBps;
    address private immutable feeRecipient;
    address private immutable operator;
    address private immutable arbiter;
    bool private immutable captureOnAuthorize;
    /// @dev The escrow's own address.
    address private immutable escrow;
    /// @dev Any address at all: what is proved of it is proved of every address.
    address private immutable witness;

    Status public status;
    uint128 public left;
    uint40 public capturedAt;
    uint40 public disputedAt;

    // What the assertions speak of. No transition reads it.

    uint256 public collected;
    uint256 public paidToPayer;
    uint256 public paidToMerchant;
    uint256 public paidToFeeRecipient;
    uint256 private paidToWitness;
    /// @dev What settled for the merchant's side, before the fee.
    uint256 private gross;
    /// @dev The fee's share of it, rounded down.
    uint256 private feeDue;

    /// @dev The induction: what holds before a transition holds after it, and a final payment changes no more.
    modifier proved() {
        require(_conserves() && _collectsOnce() && _endsEmpty() && _paysNobodyElse() && _takesFeeAtEnd() && _boundsHold());
        Status before = status;
        uint40 capturedBefore = capturedAt;
        uint256 paidBefore = paidToPayer + paidToMerchant + paidToFeeRecipient;
        _;
        assert(_conserves());
        assert(_collectsOnce());
        assert(_endsEmpty());
        assert(_paysNobodyElse());
        assert(_takesFeeAtEnd());
        assert(_boundsHold());
        assert(_mayFollow(before, status));
        // A payment is captured once: neither its timelock nor its dispute window begins again.
        assert(before != Status.CAPTURED || capturedAt == capturedBefore);
        assert(before <= Status.CAPTURED || paidToPayer + paidToMerchant + paidToFeeRecipient == paidBefore);
    }

    /// @dev The fee is at most its share, and at most a tenth, of what settles for the merchant. By the induction no
    ///      other function pays a fee.
    modifier feeBound() {
        _;
        assert(paidToFeeRecipient == feeDue);
        assert(paidToFeeRecipient * 10 <= gross);
    }

    /// @dev No party of an open payment is an address that could never use what it is paid, and no operator judges its
    ///      own disputes. The terms never change, so that what holds when a payment opens holds ever after.
    modifier partiesUsable() {
        _;
        assert(!_isSink(payer) && !_isSink(merchant));
        assert(feeRecipient == address(0) || !_isSink(feeRecipient));
        assert(arbiter != operator);
    }

    constructor(Terms memory terms, address escrow_, address witness_) {
        payer = terms.payer;
        merchant = terms.merchant;
        token = terms.token;
        amountOfTerms = terms.amount;
        authorizeBy = terms.authorizeBy;
        captureBy = terms.captureBy;
        timelock = terms.timelock;
        disputeWindow = terms.disputeWindow;
        disputeTimeout = terms.disputeTimeout;
        timeoutPayerBps = terms.timeoutPayerBps;
        feeBps = terms.feeBps;
        feeRecipient = terms.feeRecipient;
        operator = terms.operator;
        arbiter = terms.arbiter;
        captureOnAuthorize = terms.captureOnAuthorize;
        escrow = escrow_;
        witness = witness_;
        assert(_conserves());
        assert(_collectsOnce());
        assert(_endsEmpty());
        assert(_paysNobodyElse());
        assert(_takesFeeAtEnd());
        assert(_boundsHold());
    }

    // The transitions.

    function authorize() external proved partiesUsable {
        require(status == Status.NONE);
        _requireBounds();
        if (captureOnAuthorize) _write(amountOfTerms, uint40(block.timestamp), 0, Status.CAPTURED);
        else _write(amountOfTerms, 0, 0, Status.AUTHORIZED);
        collected += amountOfTerms;
    }

    function capture(uint128 amount, uint128 expectedLeft) external proved {
        _requireOperatorOrMerchant();
        require(status == Status.AUTHORIZED);
        require(block.timestamp <= captureBy);
        _requireAmount(amount, expectedLeft);
        uint128 returned = _rest(left, amount);
        _write(amount, uint40(block.timestamp), 0, Status.CAPTURED);
        _push(Role.PAYER, payer, returned);
    }

    function void() external proved {
        _requireOperatorOrMerchant();
        require(status == Status.AUTHORIZED);
        uint128 amount = left;
        _close(Status.VOIDED);
        _push(Role.PAYER, payer, amount);
    }

    function reclaim() external proved {
        require(status == Status.AUTHORIZED);
        require(block.timestamp > captureBy);
        uint128 amount = left;
        _close(Status.RECLAIMED);
        _push(Role.PAYER, payer, amount);
    }

    function refund(uint128 amount, uint128 expectedLeft) external proved {
        _requireOperatorOrMerchant();
        require(status == Status.CAPTURED);
        _requireAmount(amount, expectedLeft);
        uint128 rest = _rest(left, amount);
        _write(rest, capturedAt, disputedAt, rest == 0 ? Status.REFUNDED : Status.CAPTURED);
        _push(Role.PAYER, payer, amount);
    }

    function settle() external proved feeBound {
        require(status == Status.CAPTURED);
        require(disputedAt == 0);
        require(block.timestamp >= uint256(capturedAt) + timelock);
        uint128 whole = left;
        uint128 fee = _feeOf(whole);
        uint128 net = _rest(whole, fee);
        _close(Status.SETTLED);
        _push(Role.MERCHANT, merchant, net);
        _push(Role.FEE_RECIPIENT, feeRecipient, fee);
    }

    function dispute() external proved {
        require(msg.sender == payer);
        require(status == Status.CAPTURED);
        require(disputedAt == 0);
        require(block.timestamp < uint256(capturedAt) + disputeWindow);
        _write(left, capturedAt, uint40(block.timestamp), Status.CAPTURED);
    }

    function resolve(uint16 payerBps) external proved feeBound {
        require(msg.sender == arbiter);
        require(payerBps <= MAX_BPS);
        _resolve(payerBps);
    }

    function concede() external proved feeBound {
        _requireOperatorOrMerchant();
        _resolve(MAX_BPS);
    }

    function resolveByTimeout() external proved feeBound {
        require(block.timestamp >= uint256(disputedAt) + disputeTimeout);
        _resolve(timeoutPayerBps);
    }

    // The invariants.

    function _conserves() private view returns (bool) {
        return collected == left + paidToPayer + paidToMerchant + paidToFeeRecipient;
    }

    function _collectsOnce() private view returns (bool) {
        return collected == (status == Status.NONE ? 0 : amountOfTerms);
    }

    function _endsEmpty() private view returns (bool) {
        return status <= Status.CAPTURED || left == 0;
    }

    function _paysNobodyElse() private view returns (bool) {
        return witness == payer || witness == merchant || witness == feeRecipient || paidToWitness == 0;
    }

    /// @dev Before the end only the payer was paid. At the end merchant and fee recipient got what settled.
    function _takesFeeAtEnd() private view returns (bool) {
        if (status != Status.SETTLED && status != Status.RESOLVED) return paidToMerchant == 0 && paidToFeeRecipient == 0;
        return paidToMerchant + paidToFeeRecipient == gross;
    }

    /// @dev What authorization has checked of the shares.
    function _boundsHold() private view returns (bool) {
        return status == Status.NONE || (feeBps <= MAX_FEE_BPS && timeoutPayerBps <= MAX_BPS);
    }

    function _mayFollow(Status before, Status next) private pure returns (bool) {
        if (before == Status.NONE) return next == Status.AUTHORIZED || next == Status.CAPTURED;
        if (before == Status.AUTHORIZED) {
            return next == Status.CAPTURED || next == Status.VOIDED || next == Status.RECLAIMED;
        }
        return before == Status.CAPTURED
            && (next == Status.CAPTURED
                || next == Status.REFUNDED
                || next == Status.SETTLED
                || next == Status.RESOLVED);
    }

    // Shared.

    function _requireBounds() private view {
        require(payer != address(0) && merchant != address(0) && operator != address(0));
        require(amountOfTerms > 0);
        require(feeBps <= MAX_FEE_BPS);
        require(!_isSink(payer));
        require(!_isSink(merchant));
        require(feeRecipient == address(0) ? feeBps == 0 : !_isSink(feeRecipient));
        require(arbiter != operator);
        require(block.timestamp <= authorizeBy);
        require(captureBy >= authorizeBy);
        require(captureBy <= block.timestamp + MAX_HOLD);
        require(timelock <= MAX_TIMELOCK);
        require(disputeWindow <= timelock);
        require((arbiter == address(0)) == (disputeWindow == 0));
        require(disputeWindow == 0 || (disputeTimeout >= MIN_DISPUTE_TIMEOUT && disputeTimeout <= MAX_DISPUTE_TIMEOUT));
        require(timeoutPayerBps <= MAX_BPS);
    }

    function _isSink(address party) private view returns (bool) {
        return party == escrow || party == token;
    }

    function _requireOperatorOrMerchant() private view {
        require(msg.sender == operator || msg.sender == merchant);
    }

    function _requireAmount(uint128 amount, uint128 expectedLeft) private view {
        require(left == expectedLeft);
        require(amount > 0);
        require(amount <= left);
    }

    function _resolve(uint16 payerBps) private {
        require(status == Status.CAPTURED);
        require(disputedAt != 0);
        uint128 whole = left;
        uint128 back = Shares.shareOf(whole, payerBps);
        uint128 forMerchant = _rest(whole, back);
        uint128 fee = _feeOf(forMerchant);
        uint128 net = _rest(forMerchant, fee);
        _close(Status.RESOLVED);
        _push(Role.PAYER, payer, back);
        _push(Role.MERCHANT, merchant, net);
        _push(Role.FEE_RECIPIENT, feeRecipient, fee);
    }

    function _close(Status next) private {
        _write(0, capturedAt, disputedAt, next);
    }

    function _write(uint128 left_, uint40 capturedAt_, uint40 disputedAt_, Status next) private {
        left = left_;
        capturedAt = capturedAt_;
        disputedAt = disputedAt_;
        status = next;
    }

    /// @dev That this is at most feeBps of the amount is proved of Shares.
    function _feeOf(uint128 amount) private returns (uint128 fee) {
        fee = Shares.shareOf(amount, feeBps);
        gross = amount;
        feeDue = fee;
    }

    function _rest(uint128 whole, uint128 part) private pure returns (uint128) {
        unchecked {
            return whole - part;
        }
    }

    /// @dev Where the escrow moves money or credits it.
    function _push(Role role, address to, uint128 amount) private {
        if (role == Role.PAYER) paidToPayer += amount;
        else if (role == Role.MERCHANT) paidToMerchant += amount;
        else paidToFeeRecipient += amount;
        if (to == witness) paidToWitness += amount;
    }
}
