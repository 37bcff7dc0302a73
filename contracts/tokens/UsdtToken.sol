// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A test coin as awkward as USDT: no return values, no permit, no ERC-3009, allowance to be reset to zero first
/// @notice For local chains only: anybody mints and anybody edits the blacklist.
contract UsdtToken {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error BlackListed(address account);
    error AllowanceNotReset(uint256 current, uint256 asked);
    error AllowanceTooLow(uint256 current, uint256 asked);
    error BalanceTooLow(uint256 current, uint256 asked);

    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public isBlackListed;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function addBlackList(address account) external {
        isBlackListed[account] = true;
    }

    function removeBlackList(address account) external {
        isBlackListed[account] = false;
    }

    function approve(address spender, uint256 value) external {
        uint256 current = allowance[msg.sender][spender];
        if (value != 0 && current != 0) revert AllowanceNotReset(current, value);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        uint256 current = allowance[from][msg.sender];
        if (current < value) revert AllowanceTooLow(current, value);
        if (current != type(uint256).max) allowance[from][msg.sender] = current - value;
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private {
        if (isBlackListed[from]) revert BlackListed(from);
        uint256 balance = balanceOf[from];
        if (balance < value) revert BalanceTooLow(balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
