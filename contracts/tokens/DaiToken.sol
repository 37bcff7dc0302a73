// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title A test coin with EIP-2612 alone, of 18 decimals, as DAI is on layer 2
/// @notice For local chains only: anybody mints.
contract DaiToken is ERC20Permit {
    constructor() ERC20("Dai Stablecoin", "DAI") ERC20Permit("Dai Stablecoin") {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}
