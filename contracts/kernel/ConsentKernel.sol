// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Calendar} from "../Calendar.sol";

/// @title One recurring consent of the escrow, without tokens, signatures and hashes
/// @notice The rules of PaymentEscrow's charge and revoke for one consent. What a charge collects becomes a payment of
///         its own, which PaymentKernel follows; here it is counted. The consent's fields never change, because its id
///         is their hash: they are this contract's immutables.
/// @dev The signatures of payer and operator are taken as given.
contract ConsentKernel {
    /// @dev The fields that a charge's terms must share with the consent.
    struct Rules {
        address payer;
        address merchant;
        address token;
        address feeRecipient;
        address operator;
        address arbiter;
        uint32 timelock;
        uint32 disputeWindow;
        uint32 disputeTimeout;
        uint16 timeoutPayerBps;
        uint16 feeBps;
    }

    address private immutable payer;
    address private immutable merchant;
    address private immutable token;
    address private immutable feeRecipient;
    address private immutable operator;
    address private immutable arbiter;
    uint32 private immutable timelock;
    uint32 private immutable disputeWindow;
    uint32 private immutable disputeTimeout;
    uint16 private immutable timeoutPayerBps;
    uint16 private immutable feeBps;
    uint128 private immutable capPerPeriod;
    uint40 private immutable start;
    uint8 private immutable unit;
    uint32 private immutable count;
    uint40 private immutable end;
    /// @dev Any period and any address at all: what is proved of them is proved of every period and address.
    uint32 private immutable watchedPeriod;
    address private immutable witness;

    bool public revoked;
    uint32 public nextPeriod;

    // What the assertions speak of. No transition reads it.

    uint256 private chargesOfWatched;
    uint256 private collectedOfWatched;
    bool private witnessNamed;

    /// @dev The induction: what holds before a transition holds after it.
    modifier proved() {
        require(_chargesOnce() && _collectsAtMostCap() && _namesNobodyElse());
        bool revokedBefore = revoked;
        uint32 nextBefore = nextPeriod;
        _;
        assert(_chargesOnce());
        assert(_collectsAtMostCap());
        assert(_namesNobodyElse());
        assert(!revokedBefore || (revoked && nextPeriod == nextBefore));
    }

    constructor(
        Rules memory rules,
        uint128 capPerPeriod_,
        uint40 start_,
        uint8 unit_,
        uint32 count_,
        uint40 end_,
        uint32 watchedPeriod_,
        address witness_
    ) {
        payer = rules.payer;
        merchant = rules.merchant;
        token = rules.token;
        feeRecipient = rules.feeRecipient;
        operator = rules.operator;
        arbiter = rules.arbiter;
        timelock = rules.timelock;
        disputeWindow = rules.disputeWindow;
        disputeTimeout = rules.disputeTimeout;
        timeoutPayerBps = rules.timeoutPayerBps;
        feeBps = rules.feeBps;
        capPerPeriod = capPerPeriod_;
        start = start_;
        unit = unit_;
        count = count_;
        end = end_;
        watchedPeriod = watchedPeriod_;
        witness = witness_;
        assert(_chargesOnce());
        assert(_collectsAtMostCap());
        assert(_namesNobodyElse());
    }

    // The transitions.

    function charge(uint32 period, Rules memory rules, uint128 amount, bool captureOnAuthorize) external proved {
        require(rules.token != address(0));
        _requireConsented(rules);
        require(captureOnAuthorize);
        require(amount <= capPerPeriod);
        _requirePeriod(period);
        nextPeriod = period + 1;
        if (period == watchedPeriod) {
            chargesOfWatched += 1;
            collectedOfWatched += amount;
        }
        if (witness == rules.merchant || witness == rules.feeRecipient || witness == rules.payer) witnessNamed = true;
    }

    function revoke() external proved {
        require(msg.sender == payer);
        require(!revoked);
        revoked = true;
    }

    // The invariants.

    function _chargesOnce() private view returns (bool) {
        return chargesOfWatched == 0 || (chargesOfWatched == 1 && nextPeriod > watchedPeriod);
    }

    function _collectsAtMostCap() private view returns (bool) {
        return collectedOfWatched <= capPerPeriod && (chargesOfWatched != 0 || collectedOfWatched == 0);
    }

    /// @dev Every party that a charge's terms name is a party of the consent.
    function _namesNobodyElse() private view returns (bool) {
        return !witnessNamed || witness == payer || witness == merchant || witness == feeRecipient;
    }

    // Shared.

    function _requireConsented(Rules memory rules) private view {
        require(rules.payer == payer);
        require(rules.merchant == merchant);
        require(rules.token == token);
        require(rules.operator == operator);
        require(rules.arbiter == arbiter);
        require(rules.feeRecipient == feeRecipient);
        require(rules.feeBps == feeBps);
        require(rules.timelock == timelock);
        require(rules.disputeWindow == disputeWindow);
        require(rules.disputeTimeout == disputeTimeout);
        require(rules.timeoutPayerBps == timeoutPayerBps);
    }

    function _requirePeriod(uint32 period) private view {
        require(!revoked);
        require(period >= nextPeriod);
        require(end == 0 || block.timestamp < end);
        require(block.timestamp >= _periodStart(period));
        require(block.timestamp < _periodStart(uint256(period) + 2));
    }

    function _periodStart(uint256 period) private view returns (uint40) {
        require(unit <= 1 && count != 0);
        uint256 steps = period * count;
        uint256 from = unit == 0 ? start + steps : Calendar.addMonths(start, steps);
        require(from <= type(uint40).max);
        return uint40(from);
    }
}
