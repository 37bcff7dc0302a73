// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

struct Log {
    bytes32[] topics;
    bytes data;
    address emitter;
}

/// @notice The few cheatcodes used here; there is no official forge-std to depend on.
interface Cheats {
    function addr(uint256 key) external pure returns (address);
    function chainId(uint256 newChainId) external;
    function deal(address account, uint256 balance) external;
    function envOr(string calldata name, string calldata fallbackValue) external view returns (string memory);
    function envOr(string calldata name, bytes calldata fallbackValue) external view returns (bytes memory);
    function etch(address account, bytes calldata code) external;
    function getRecordedLogs() external returns (Log[] memory);
    function prank(address sender) external;
    function recordLogs() external;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function toString(uint256 value) external pure returns (string memory);
    function warp(uint256 timestamp) external;
    function writeLine(string calldata path, string calldata line) external;
}

Cheats constant cheats = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));
