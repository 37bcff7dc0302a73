// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What lies at one payment's deposit address, of one token
/// @notice The ways of money at a deposit address: it arrives, it is collected for the payment, or it is returned to the
///         payer. The token is the payment's own, or any other one. PaymentKernel follows what is collected.
/// @dev The operator's signature and the bounds of the terms are taken as given, and that a token has one address.
contract DepositKernel {
    struct Terms {
        address payer;
        address token;
        uint128 amount;
        uint40 authorizeBy;
        address operator;
    }

    uint256 private constant MAX_HOLD = 90 days;

    address private immutable payer;
    address private immutable tokenOfTerms;
    uint128 private immutable amountOfTerms;
    uint40 private immutable authorizeBy;
    address private immutable operator;
    /// @dev The token that is counted here.
    address private immutable token;
    /// @dev The escrow's own address.
    address private immutable escrow;
    /// @dev Any address at all: what is proved of it is proved of every address.
    address private immutable witness;

    /// @dev Whether the payment's status is another one than NONE.
    bool private opened;
    uint256 public held;
    /// @dev Whether the payer refuses what is sent to it: any value at any time.
    bool private payerRefuses;

    // What the assertions speak of. No transition reads it.

    uint256 private arrived;
    uint256 public collected;
    uint256 public returned;
    uint256 private sentToWitness;

    /// @dev The induction: what holds before a transition holds after it. While the payment may still be authorized,
    ///      its own token leaves only into the escrow or by the operator's call, and what was opened stays so.
    modifier proved() {
        require(_conserves() && _collectsOnce() && _paysNobodyElse());
        bool openedBefore = opened;
        bool reservedBefore = _isReserved();
        uint256 returnedBefore = returned;
        _;
        assert(_conserves());
        assert(_collectsOnce());
        assert(_paysNobodyElse());
        assert(!openedBefore || opened);
        assert(!reservedBefore || token != tokenOfTerms || returned == returnedBefore);
    }

    constructor(Terms memory terms, address token_, address escrow_, address witness_) {
        payer = terms.payer;
        tokenOfTerms = terms.token;
        amountOfTerms = terms.amount;
        authorizeBy = terms.authorizeBy;
        operator = terms.operator;
        token = token_;
        escrow = escrow_;
        witness = witness_;
        assert(_conserves());
        assert(_collectsOnce());
        assert(_paysNobodyElse());
    }

    /// @dev The world's choice, not a transition: no invariant reads it, so that none needs a proof here.
    function refuse(bool payerRefuses_) external {
        payerRefuses = payerRefuses_;
    }

    // The transitions.

    /// @dev From any account and in any sum: nothing runs at the address that could refuse it.
    function arrive(uint128 amount) external proved {
        held += amount;
        arrived += amount;
    }

    /// @dev The payment is authorized in another way.
    function open() external proved {
        require(!opened);
        opened = true;
    }

    function authorizeFromDeposit() external proved {
        require(!opened);
        require(token == tokenOfTerms);
        require(held >= amountOfTerms);
        opened = true;
        held -= amountOfTerms;
        collected += amountOfTerms;
        _send(escrow, amountOfTerms);
    }

    function returnDeposit() external proved {
        require(payer != escrow && payer != token);
        require(!_isReserved() || token != tokenOfTerms);
        uint256 amount = held;
        require(amount != 0);
        require(!payerRefuses);
        held = 0;
        returned += amount;
        _send(payer, amount);
    }

    // The invariants.

    function _conserves() private view returns (bool) {
        return arrived == collected + returned + held;
    }

    /// @dev Exactly the amount, at most once, and only of the payment's own token.
    function _collectsOnce() private view returns (bool) {
        return collected == 0 || (collected == amountOfTerms && opened && token == tokenOfTerms);
    }

    function _paysNobodyElse() private view returns (bool) {
        return witness == payer || witness == escrow || sentToWitness == 0;
    }

    // Shared.

    /// @dev Whether somebody other than the operator calls while the payment may still be authorized.
    function _isReserved() private view returns (bool) {
        return msg.sender != operator && !opened && block.timestamp <= authorizeBy
            && authorizeBy <= block.timestamp + MAX_HOLD;
    }

    function _send(address to, uint256 amount) private {
        if (to == witness) sentToWitness += amount;
    }
}
