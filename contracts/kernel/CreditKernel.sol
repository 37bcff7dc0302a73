// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title One recipient's credit in one token
/// @notice What failed pushes credited, and the two ways out: claim, by the recipient, and claimFor, by anybody.
/// @dev Gas is left out: that claimFor demands a push's gas is tested.
contract CreditKernel {
    address private immutable recipient;
    /// @dev Zero for the native coin.
    address private immutable token;
    /// @dev The escrow's own address.
    address private immutable escrow;
    /// @dev Any address at all: what is proved of it is proved of every address.
    address private immutable witness;

    uint256 public owed;
    /// @dev Whether whoever is paid refuses it: any value at any time.
    bool private refuses;

    // What the assertions speak of. No transition reads it.

    uint256 private credited;
    uint256 public paidToRecipient;
    uint256 private paidToOthers;
    uint256 private paidToWitness;

    /// @dev The induction: what holds before a transition holds after it. Others are paid by nobody but the recipient,
    ///      and only the native coin.
    modifier proved() {
        require(_conserves() && _tokensStayOwn() && _paysNoSink());
        uint256 othersBefore = paidToOthers;
        uint256 witnessBefore = paidToWitness;
        _;
        assert(_conserves());
        assert(_tokensStayOwn());
        assert(_paysNoSink());
        assert(paidToOthers == othersBefore || msg.sender == recipient);
        assert(paidToWitness == witnessBefore || witness == recipient || msg.sender == recipient);
    }

    /// @dev That the escrow is nobody's recipient is proved of PaymentKernel.
    constructor(address recipient_, address token_, address escrow_, address witness_) {
        require(recipient_ != escrow_);
        recipient = recipient_;
        token = token_;
        escrow = escrow_;
        witness = witness_;
        assert(_conserves());
        assert(_tokensStayOwn());
        assert(_paysNoSink());
    }

    /// @dev The world's choice, not a transition: no invariant reads it, so that none needs a proof here.
    function refuse(bool refuses_) external {
        refuses = refuses_;
    }

    // The transitions.

    /// @dev What a push of some payment could not pay.
    function credit(uint128 amount) external proved {
        owed += amount;
        credited += amount;
    }

    /// @dev The escrow takes the credit of whoever calls, so that another caller's call is not this credit's.
    function claim(address to) external proved {
        require(msg.sender == recipient);
        if (token == address(0)) require(to != address(0) && to != escrow);
        else require(to == msg.sender);
        _claim(to);
    }

    function claimFor() external proved {
        _claim(recipient);
    }

    // The invariants.

    function _conserves() private view returns (bool) {
        return credited == owed + paidToRecipient + paidToOthers;
    }

    /// @dev A token is paid to the recipient and to nobody else.
    function _tokensStayOwn() private view returns (bool) {
        return token == address(0) || (paidToOthers == 0 && (witness == recipient || paidToWitness == 0));
    }

    function _paysNoSink() private view returns (bool) {
        return recipient != escrow && (witness != escrow || paidToWitness == 0);
    }

    // Shared.

    function _claim(address to) private {
        uint256 amount = owed;
        require(amount != 0);
        owed = 0;
        require(!refuses);
        if (to == recipient) paidToRecipient += amount;
        else paidToOthers += amount;
        if (to == witness) paidToWitness += amount;
    }
}
