// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {PlainToken} from "./HostileTokens.sol";

/// @notice Delivers one unit more or less than it was asked to transfer.
contract SkewedToken is PlainToken {
    bool private immutable _generous;

    constructor(bool generous) {
        _generous = generous;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        _move(msg.sender, to, _generous ? value + 1 : value - 1);
        return true;
    }
}

/// @notice Answers the question for a balance by reverting with a word, by reverting with a bomb, or by half a word.
contract OddBalanceToken {
    uint256 private immutable _kind;

    constructor(uint256 kind) {
        _kind = kind;
    }

    function balanceOf(address) external view returns (uint256) {
        uint256 kind = _kind;
        assembly {
            mstore(0x00, 1)
            switch kind
            case 0 { revert(0x00, 0x20) }
            case 1 { revert(0x00, 400000) }
            default { return(0x00, 0x1f) }
        }
    }
}

/// @notice A token that has a second address.
contract DualToken is PlainToken {
    function moveFor(address from, address to, uint256 value) external {
        _move(from, to, value);
    }
}

/// @notice The second address: it moves what its caller has of the token.
contract AliasToken {
    DualToken private immutable _token;
    address public caller;

    constructor(DualToken token) {
        _token = token;
    }

    function balanceOf(address account) external view returns (uint256) {
        return _token.balanceOf(account);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        caller = msg.sender;
        _token.moveFor(msg.sender, to, value);
        return true;
    }
}

/// @notice Looks while it moves how the escrow shows a payment.
contract LookingToken is PlainToken {
    IPaymentEscrow private immutable _escrow;
    bytes32 private _id;
    bool public looked;
    IPaymentEscrow.Status public seen;

    constructor(IPaymentEscrow escrow) {
        _escrow = escrow;
    }

    function look(bytes32 id) external {
        _id = id;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        (seen,,,) = _escrow.stateOf(_id);
        looked = true;
        _move(msg.sender, to, value);
        return true;
    }
}

/// @notice Takes the place of a deposit box and plays a configured trick instead of what the escrow asks for.
contract FakeBox {
    enum Trick {
        NOTHING,
        TOO_LITTLE,
        TOO_MUCH,
        COIN_FOR_TOKEN
    }

    Trick private _trick;

    function set(Trick trick) external {
        _trick = trick;
    }

    function held(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function send(address, address to, uint256 amount) external returns (bool sent) {
        sent = true;
        if (_trick == Trick.TOO_LITTLE) (sent,) = to.call{value: amount - 1}("");
        if (_trick == Trick.TOO_MUCH) (sent,) = to.call{value: amount + 1}("");
        if (_trick == Trick.COIN_FOR_TOKEN) (sent,) = to.call{value: 1}("");
    }

    receive() external payable {}
}

/// @notice Takes coin with any gas, and records it only if there is enough left.
contract FrugalAccount {
    bool public recorded;

    receive() external payable {
        if (gasleft() > 49_000) recorded = true;
    }
}
